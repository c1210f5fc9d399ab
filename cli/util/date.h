/* date.h - the current time as text. */
#ifndef CLI_DATE_H
#define CLI_DATE_H

/* In UTC: "2026-01-31T12:00:00Z". */
void cli_date(char text[21]);

#endif

/* presets.c - studies by name.
 *
 * Room: which there are, and a line on each; what they run stands in presets/. */
#include "plan.h"

#include "firoz-fig3.inc"

study_preset study_preset_at(size_t i) {
  static const struct {
    const char *name, *help;
    const unsigned char *text;
  } presets[] = {{"firoz-fig3", "coalescing sizes of Distributed Control, as in figure 3", preset_firoz_fig3}};
  if (i >= sizeof presets / sizeof presets[0]) return (study_preset){0};
  return (study_preset){presets[i].name, presets[i].help, (const char *)presets[i].text};
}

"""Studies: many runs of a program, their records, and what they show.

`scree sweep`, `scree tune` and `scree report` execute this package. sweep and tune need the standard library alone.
"""

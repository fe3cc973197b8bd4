"""The Human Evaluation Datasheet (HEDS) of a study, as version 2.0 and as version 3.0.

Shimorina and Belz (2022), The human evaluation datasheet, HumEval, 54-75; Belz and Thomson (2025), HEDS 3.0, GEM.
A datasheet is kept once, by the questions of version 3.0, which splits several questions of version 2.0.
"""

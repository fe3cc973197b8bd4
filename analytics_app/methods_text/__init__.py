"""The methods section of a paper: what was judged, by whom and how it was analysed, with the numbers of a run.

It is written from the rows that also fill the datasheet (analytics_app.heds), so the two say the same.
"""

from analytics_app.methods_text.sentences import MethodsText, Paragraph, Sentence
from analytics_app.methods_text.writing import write

__all__ = ["MethodsText", "Paragraph", "Sentence", "write"]

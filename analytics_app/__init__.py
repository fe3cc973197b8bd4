"""Understanding judgments: quality rules, analyses, results and the datasheet."""

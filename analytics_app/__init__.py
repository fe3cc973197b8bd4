"""Analysis of judgments: quality rules, analyses, runs, results and exports."""

"""Writers: report.json, page, terminal, Markdown, LaTeX."""

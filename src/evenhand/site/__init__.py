"""Site: API files, report, pages, charts, manifest and the atomic publish."""

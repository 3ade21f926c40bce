"""The engines that keep memories, a folder each; the only code that imports their libraries."""

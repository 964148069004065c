"""Tables of numbers under named columns, as CSV, NPZ or Parquet, read in bounded memory and written whole."""

from parakin.tables.formats import FORMATS, Table, open_table, write_table
from parakin.tables.rows import BadRow
from parakin.tables.streams import write_blocks

__all__ = ["FORMATS", "BadRow", "Table", "open_table", "write_blocks", "write_table"]

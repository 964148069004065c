"""Parts that any law can wear: filters, input shaping, friction at standstill, observers."""

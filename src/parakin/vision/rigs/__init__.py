"""Which rods of which robot some cameras look at, where these rods and their contours are, and points seen of them."""

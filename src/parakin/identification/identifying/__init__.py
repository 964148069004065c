"""The whole way from a log to a robot file, and how well that robot predicts measured forces."""

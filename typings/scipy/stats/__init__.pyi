from scipy.stats import qmc as qmc

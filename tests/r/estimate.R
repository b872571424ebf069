# Prints the effects in the decisions that points.py wrote: Rscript estimate.R FOLDER > printed.csv
# Made with R 4.2.2 and MRTAnalysis 0.3.1 (rootSolve 1.8.2.4, geepack 1.3.9, sandwich 3.0-2).
suppressMessages(library(MRTAnalysis))
folder <- commandArgs(trailingOnly = TRUE)[1]
cat("case,coefficient,estimate,error,low,high\n")
for (case in c("number", "number_controlled", "number_few", "binary", "binary_controlled")) {
  decisions <- read.csv(file.path(folder, paste0(case, ".csv")))
  share <- mean(decisions$chance)
  estimate <- if (startsWith(case, "binary")) emee else wcls
  changes <- if (case %in% c("number", "binary")) list(~1, ~1) else list(~ late + dose, ~ late + dose + level + steps)
  found <- do.call(estimate, list(
    data = decisions, id = "id", outcome = "outcome", treatment = "given", rand_prob = "chance",
    moderator_formula = changes[[1]], control_formula = changes[[2]], numerator_prob = share, verbose = FALSE
  ))
  effects <- summary(found)$causal_excursion_effect
  for (row in seq_len(nrow(effects))) {
    figures <- formatC(effects[row, c("Estimate", "StdErr", "95% LCL", "95% UCL")], digits = 6, format = "g", width = 1)
    cat(case, row - 1, figures, sep = ",")
    cat("\n")
  }
}

try measureSteps()

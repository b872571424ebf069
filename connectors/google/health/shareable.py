"""State which fields of Google Health's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

SHAREABLE = Shareable(
    parts=(
        "dataPoints rollupDataPoints sleep exercise interval metadata summary stages stagesSummary metricsSummary time "
        "heartRateVariability sampleTime civilStartTime civilEndTime civilTime dailyRestingHeartRate "
        "dailyRestingHeartRateMetadata dailyHeartRateVariability dailyOxygenSaturation dailyRespiratoryRate "
        "dailySleepTemperatureDerivations activeEnergyBurned activeZoneMinutes totalCalories steps distance"
    ),
    measures=(
        "hours minutes seconds nanos count steps distance countSum millimetersSum kcalSum sumInCardioHeartZone "
        "sumInFatBurnHeartZone sumInPeakHeartZone minutesAsleep minutesAwake minutesInSleepPeriod minutesToFallAsleep "
        "minutesAfterWakeUp activeDuration activeZoneMinutes averageHeartRateBeatsPerMinute caloriesKcal "
        "averageSpeedMillimetersPerSecond distanceMillimeters elevationGainMillimeters "
        "rootMeanSquareOfSuccessiveDifferencesMilliseconds standardDeviationMilliseconds beatsPerMinute entropy "
        "averageHeartRateVariabilityMilliseconds nonRemHeartRateBeatsPerMinute averagePercentage lowerBoundPercentage "
        "deepSleepRootMeanSquareOfSuccessiveDifferencesMilliseconds upperBoundPercentage breathsPerMinute "
        "baselineTemperatureCelsius nightlyTemperatureCelsius"
    ),
    flags="mainSleep nap processed",
    instants="startTime endTime physicalTime createTime updateTime",
    walls="date",
    offsets="startUtcOffset endUtcOffset utcOffset",
    names="dataPointName nextPageToken",
    sports="exerciseType",
    words={
        "type": "AWAKE DEEP LIGHT REM ASLEEP RESTLESS CLASSIC STAGES",
        "exerciseType": "OTHER",
        "stagesStatus": "SUCCEEDED REJECTED_NAP REJECTED_COVERAGE REJECTED_MAX_GAP",
        "calculationMethod": "WITH_SLEEP ONLY_WITH_AWAKE_DATA",
    },
    path=(
        "v4 users me dataTypes sleep exercise heart-rate-variability daily-resting-heart-rate "
        "daily-heart-rate-variability daily-oxygen-saturation daily-respiratory-rate "
        "daily-sleep-temperature-derivations steps distance active-energy-burned active-zone-minutes total-calories "
        "dataPoints:reconcile dataPoints:dailyRollUp"
    ),
    asks="filter pageSize",
)

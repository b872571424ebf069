"""State which fields of Garmin's answers a redacted recording may hold."""

from bridge.domain.shareable import Shareable

SHAREABLE = Shareable(
    parts=(
        "data hrvSummaries hrvSummary dailySleepDTO dailyNapDTOS sleepScores overall sleepNeed activityType "
        "heartRateValueDescriptors bodyBatteryValueDescriptorDTOList"
    ),
    measures=(
        "totalSteps totalDistanceMeters activeKilocalories totalKilocalories restingHeartRate moderateIntensityMinutes "
        "vigorousIntensityMinutes averageStressLevel sleepTimeSeconds napTimeSeconds napTimeSec deepSleepSeconds "
        "lightSleepSeconds remSleepSeconds awakeSleepSeconds unmeasurableSleepSeconds averageRespirationValue "
        "averageSpO2Value value actual baseline avgSkinTempDeviationC lastNightAvg lastNight5MinHigh index "
        "bodyBatteryValueDescriptorIndex averageHR averageSpeed calories distance duration elapsedDuration "
        "elevationGain steps heartRateValues bodyBatteryValuesArray"
    ),
    flags="includesWellnessData",
    instants=(
        "wellnessStartTimeGmt wellnessEndTimeGmt sleepStartTimestampGMT sleepEndTimestampGMT startTimestampGMT "
        "endTimestampGMT startTimeGMT createTimeStamp napStartTimestampGMT napEndTimestampGMT heartRateValues "
        "bodyBatteryValuesArray"
    ),
    walls=(
        "calendarDate date wellnessStartTimeLocal wellnessEndTimeLocal sleepStartTimestampLocal sleepEndTimestampLocal "
        "startTimestampLocal endTimestampLocal startTimeLocal"
    ),
    names="id activityId",
    sports="typeKey",
    words={
        "source": "GARMIN",
        "status": "NONE BALANCED UNBALANCED LOW POOR",
        "key": "timestamp heartrate",
        "bodyBatteryValueDescriptorKey": "timestamp bodyBatteryStatus bodyBatteryLevel bodyBatteryVersion",
        "bodyBatteryValuesArray": "MEASURED MODELED RESET",
    },
    path=(
        "usersummary-service v2 dailysummaries hrv-service hrv daily wellness-service wellness bodyBattery reports "
        "sleep-service sleep dailySleep dailyHeartRate activitylist-service activities search"
    ),
    asks="start limit",
)

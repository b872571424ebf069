"""The everyday names of the ten actions and the five meters, in English and German.

``see/meet my/~ friends`` stands for every choice of one word at each place, where ``~`` is no word.
"""

from __future__ import annotations

from rhythm_env.interface import ActionType, Meter

A, M = ActionType, Meter
ONE_THING = frozenset({A.SLEEP, A.MEDITATE, A.BINGE_WATCH})  # all of whose names stand for the whole of it
WHOLE_NAMES = (  # words of a name that stands for a whole action, not for one kind of it
    "sport sports exercise exercises exercising workout workouts out gym training train trainieren trainiere fitness "
    "fitnessstudio bewegung bewegen trainings deep focus focused focussed concentrated konzentriert konzentrierte "
    "konzentriertes "
    "fokussiert fokussierte fokussiertes fokusarbeit fokuszeit admin administrative administration paperwork office "
    "papierkram "
    "bürokram verwaltung verwaltungskram büroarbeit schreibkram bürokratie bureaucracy learn learning study studying "
    "lernen "
    "lerne studieren lernzeit family familie familienzeit friends freunde freunden leute leuten socialising "
    "socializing "
    "socialise socialize parties partys party ausgehen going feiern company myself yourself me mich dich hobby "
    "hobbies hobbys"
)
WHOLE = frozenset(WHOLE_NAMES.split())
RELATIVES = (
    "mum/mom/mother/dad/father/parents/grandma/granny/nana/grandmother/grandpa/granddad/grandfather/grandparents/"
    "sister/brother/sisters/brothers/siblings/aunt/uncle/cousin/cousins/wife/husband/daughter/daughters/son/sons/"
    "kids/children/nephew/niece/grandchildren/grandkids/family/relatives/partner/girlfriend/boyfriend/fiancé/fiancée"
)
CIRCLE = "friends/friend/mates/mate/buddies/neighbours/neighbors/people/pals"
EATING = f"{CIRCLE}/colleagues/coworkers/workmates"
TONGUES = "french/spanish/german/english/italian/russian/chinese/japanese/portuguese/dutch/polish/arabic/language"
INSTRUMENTS = "piano/guitar/violin/cello/drums/flute/saxophone/trumpet/ukulele/bass/keyboard"
MOVES = (
    "sport/sports/exercise/workout/gym/running/jogging/swimming/swim/cycling/biking/yoga/training/fitness/tennis/"
    "football/pilates/climbing/bouldering/dance/dancing/hiking/walking/rowing/boxing/spinning/crossfit/zumba/"
    "badminton/basketball/volleyball/judo/karate/cardio/stretching/strength/weights/aerobics/ballet/squash/soccer"
)
ENGLISH_ACTIONS = {
    A.DEEP_WORK: "deep/focus/focused/focussed/concentrated work/working/time/session/sessions/block/blocks, "
    "work deeply, deep/focus/focused work session/sessions/block/blocks/time, concentration time, "
    "my/the/~ thesis/dissertation/coding/programming, coding/programming/writing session/sessions/time, "
    "write/writing/working/work on/~ my/the/a/~ thesis/dissertation/paper/novel, thesis work/writing/time, code, "
    "write code, writing code, software development, research work, focussing, focusing, concentrating",
    A.ADMIN_WORK: "do/doing/~ admin/paperwork/bookkeeping/accounting/housework/laundry/taxes/chores/errands/invoices, "
    "admin work/session/sessions/stuff/time/tasks/day, administrative work/tasks/stuff, office work, administration, "
    "work/~ email/emails/mail/mails, e mail, e mails, do/doing/answer/answering/check/checking/write/writing/read/"
    "reading "
    "my/~ email/emails/mail/mails, the/my/~ inbox, bureaucracy, my/the taxes, do/doing my/the taxes/chores/laundry, "
    "tax return/returns/stuff, my/the tax return, household/house chores/stuff/work, bills, my/the bills, "
    "pay/paying my/the/~ bills, cleaning, clean/cleaning the/my house/flat/apartment/kitchen, house cleaning, "
    "tidying/tidy up/~, ironing, vacuum, vacuuming, hoovering, washing up, do/doing/wash/washing the dishes, dishes, "
    "go/~ shopping, grocery/food shopping, groceries, run/running errands, filing, finances, my finances, "
    "budgeting, banking, banking stuff, expenses, do/doing my/the expenses",
    A.LEARN: "learn, learning, study, studying, to study, studies, learning/study time/session/sessions/block/blocks, "
    f"{TONGUES} course/courses/class/classes/lesson/lessons/practice, practise/practice/practicing/practising "
    f"my/the/~ {TONGUES}/{INSTRUMENTS}, {INSTRUMENTS} practice/lesson/lessons/class, online "
    "course/courses/class/classes, course, courses, a/my/the course, lectures, lecture, watch/~ tutorials, homework, "
    "do/doing my/the/~ homework, vocabulary, vocab, learn/study/learning/practise/practice vocabulary/vocab/vocabs, "
    "flashcards, duolingo, revise, revision, exam revision, singing/music/drawing/art lesson/lessons/class/classes, "
    "webinars, driving lessons/lesson",
    A.SLEEP: "nap, naps, napping, power naps, power nap, take naps, take a nap, a nap",
    A.EXERCISE: f"{MOVES}, {MOVES} session/sessions/class/classes/practice/lesson/lessons/day/days, "
    f"go/going/do/doing/play/playing/practise/practice some/a/~ {MOVES}, exercising, exercises, workouts, "
    "work/working out, train, run, runs, a run, jog, jogs, cycle, the gym, go/going/hit to/~ the/~ gym, gym time, "
    "go/going for a/~ run/jog/swim/walk/ride/hike/cycle, walk, walks, a walk, go/take/taking/~ a/~ walk/walks/stroll, "
    "swims, bike/bicycle ride/rides/riding/tour/tours, ride my/the/a bike, hike, hikes, move my body, "
    "strength/weight/interval/circuit/endurance/core/resistance training/workout/workouts/exercises, gymnastics, "
    "lift/lifting weights, weightlifting, push ups, pushups, sit ups, skiing, skating, ice skating, martial arts, "
    "dance/yoga/pilates/fitness course/courses, ball games/sports, team sports, handball, hockey, table tennis, "
    "ping pong, golf, rugby, cricket, baseball, surfing, horse riding, riding, aqua fitness, physio exercises, "
    "gyms, gym sessions, stretch, hiit, trail running, nordic walking, kettlebells, leg day, treadmill, rower",
    A.MEDITATE: "meditate, meditation, meditating, meditations, mindfulness, mindfulness practice/exercise/exercises/"
    "session/sessions/meditation/training, meditation session/sessions/practice/time/exercise/exercises, guided/"
    "breathing meditation/meditations, do/~ breathing/breath/relaxation exercise/exercises/practice/work, "
    "breathwork, breath work, body scan, body scans, yoga nidra, meditation class",
    A.FAMILY_TIME: f"with/call/calling/phone/phoning/ring/ringing/visit/visiting/see/seeing my/our/the/~ {RELATIVES}, "
    f"time/lunch/lunches/dinner/dinners/breakfast/brunch/coffee/tea/calls/play/playing "
    f"with my/our/the/~ {RELATIVES}, talk/talking/speak to/with my/the/our/~ {RELATIVES}, spend time with my/the/our/~ "
    f"{RELATIVES}, visits/visit to/with/from my/our/the/~ {RELATIVES}, family, my/the/our family, time for my/the/"
    f"our/~ "
    "family/kids/children/wife/husband/parents, family time/visit/visits/calls/call, kids, my/the/our kids, "
    "children, my/the/our children, kids time, "
    "my/the/~ grandkids/grandchildren",
    A.SOCIALIZE: f"with/see/seeing/meet/meeting/call/calling/phone/phoning/visit/visiting/ring my/the/some/old/~ "
    f"{CIRCLE}, "
    "friends, my friends, time/lunch/lunches/dinner/dinners/breakfast/brunch/coffee/coffees/drinks/drink/beer/beers/"
    f"tea/calls/hang/hanging/catching/catch/out/going/go up/out/~ with my/the/some/~ {EATING}, "
    "time for my/~ friends, socialising, socializing, socialise, socialize, parties, party, a party, partying, going/"
    "go "
    "out, go/going to parties/~, meet/meeting/see/seeing somebody/someone/anybody/anyone/others, company, the pub, "
    "pub, pubs, pub visits, go/going to the/~ pub, clubbing, nights out, night out, "
    "meet/meeting up with my/~ friends, with a friend, coffee/lunch/dinner with a friend, "
    "social time/events/event/activities/gatherings/visits, meetups, get togethers",
    A.ME_TIME: "me/alone time, time for yourself, for myself, time/moments for/to myself, quiet/some time for/to "
    "myself, "
    "an hour for/to myself, by myself, time alone, hobby, hobbies, "
    "my/the hobby/hobbies, hobby time, reading, read, reading time, read/reading a/my/~ book/books/novel/novels, a "
    "book, "
    "take/taking/having/have a/~ bath/baths, a bath, baths, bath, hot bath/baths, sauna, the sauna, "
    "go to the sauna, massage, massages, gaming, play/playing video/computer games, video/computer games, "
    "gaming time/session/sessions, playstation, xbox, gardening, in the garden, knitting, sewing, crocheting, "
    "painting, photography, crafts, crafting, handicrafts, puzzles, jigsaws, play/playing the/~ "
    f"{INSTRUMENTS}, play/playing/making/make music, pottery, woodworking",
    A.BINGE_WATCH: "watch/watching/~ the/some/~ tv/television/netflix/series/films/movies/shows/youtube/film/movie/"
    "videos, binge/binging/bingeing watching/watch/~, tv/television series/shows/show/time, "
    "streaming, stream, movie/film/series/netflix/tv/cinema night/nights, "
    "youtube/netflix videos/films/movies/series/shows, watch/watching a/~ film/movie/series/show, a film, a movie, "
    "stream/streaming series/films/movies/shows, disney plus, amazon prime, prime video, hbo, twitch, bingeing",
}
KIN = (
    "familie/eltern/mama/papa/mutter/mutti/vater/vati/oma/opa/omi/opi/großmutter/großvater/großeltern/schwester/bruder/"
    "geschwister/geschwistern/tante/onkel/cousin/cousine/frau/mann/ehefrau/ehemann/tochter/töchtern/töchter/sohn/"
    "söhne/söhnen/kinder/kindern/kids/enkel/enkeln/enkelkinder/enkelkindern/enkelin/neffen/nichte/verwandten/partner/"
    "partnerin"
)
MINE = "meine/meinen/meinem/meiner/der/den/dem/die/unsere/unserer/unserem/unseren/~"
KREIS = "freunde/freunden/freundinnen/kumpel/kumpels/leute/leuten/bekannte/bekannten/nachbarn"
TISCH = f"{KREIS}/kollegen/kolleginnen"
SPRACHEN = "französisch/spanisch/deutsch/englisch/italienisch/russisch/chinesisch/japanisch/sprach"
INSTRUMENTE = "klavier/gitarre/geige/cello/schlagzeug/flöte/saxofon/trompete/ukulele/bass/keyboard"
BEWEGT = (
    "sport/laufen/joggen/training/schwimmen/radfahren/yoga/fitness/tennis/fußball/pilates/klettern/bouldern/tanzen/"
    "wandern/rudern/boxen/turnen/crossfit/zumba/badminton/basketball/volleyball/handball/judo/karate/spinning/squash/"
    "tischtennis/krafttraining/ballett/walking/gymnastik/federball/aerobic/spazieren/nordic"
)
GERMAN_ACTIONS = {
    A.DEEP_WORK: "deep work, fokusarbeit, fokuszeit, fokuszeiten, konzentrierte/konzentriertes/fokussierte/"
    "fokussiertes "
    "arbeit/arbeiten, konzentriert/fokussiert zu/~ arbeiten/arbeite, konzentrationszeit, konzentriertem arbeiten, "
    "doktorarbeit, masterarbeit, bachelorarbeit, abschlussarbeit, diplomarbeit, dissertation, meine/die doktorarbeit/"
    "masterarbeit/bachelorarbeit/abschlussarbeit/dissertation, "
    "an der/meiner doktorarbeit/masterarbeit/bachelorarbeit/abschlussarbeit/dissertation schreiben/arbeiten/~, "
    "programmieren, programmiere, coden, fokusblock, fokusblöcke, in ruhe arbeiten",
    A.ADMIN_WORK: "büroarbeit, büroarbeiten, papierkram, papierkram machen/erledigen, mail, mails, email, emails, "
    "e mail, e mails, mails/emails beantworten/lesen/checken/schreiben/bearbeiten, e mails beantworten/lesen/checken/"
    "schreiben/bearbeiten, büro, verwaltung, verwaltungsarbeit, verwaltungskram, verwaltungssachen, bürokram, "
    "bürokratie, buchhaltung, schreibkram, admin, postfach, steuer, steuern, steuersachen, steuerkram, "
    "steuererklärung, "
    "die/meine steuer/steuererklärung/steuern/rechnungen/finanzen machen/~, rechnungen/rechnung "
    "bezahlen/schreiben/zahlen/~, hausarbeit, hausarbeiten, haushalt, haushaltsarbeit, im/den/der haushalt machen/~, "
    "putzen, putze, hausputz, aufräumen, bügeln, staubsaugen, wäsche, die/~ wäsche machen/waschen, abwasch, "
    "einkaufen, einkäufe, einkauf, wocheneinkauf, einkaufen gehen, besorgungen, besorgungen machen, erledigungen, "
    "behördengänge, behördenkram, ablage, formulare, überweisungen, finanzen, bankgeschäfte, organisatorisches, "
    "orgakram",
    A.LEARN: "lernen, lernzeit, lernzeiten, zu lernen, lerne, studieren, studiere, das lernen, "
    "sprachkurs, sprachkurse, englischkurs, spanischkurs, französischkurs, italienischkurs, deutschkurs, russischkurs, "
    "spanischunterricht, englischunterricht, französischunterricht, sprachunterricht, onlinekurs, onlinekurse, "
    "online kurs, online kurse, kurs, kurse, abendkurs, abendkurse, volkshochschule, vhs kurs, vorlesung, vorlesungen, "
    "weiterbildung, fortbildung, fortbildungen, klavierunterricht, gitarrenunterricht, geigenunterricht, "
    "gesangsunterricht, musikunterricht, nachhilfe, hausaufgaben, hausaufgaben machen, vokabeln, vokabeln lernen/üben, "
    f"lernblock, lernblöcke, {INSTRUMENTE} üben, {INSTRUMENTE} zu üben, klavierstunde, klavierstunden, gitarrenstunde, "
    f"gitarrenstunden, {SPRACHEN} üben, fahrstunden, duolingo, tutorials, karteikarten",
    A.SLEEP: "mittagsschlaf, nickerchen, mittagsschläfchen, powernap, powernaps, mittagsschlaf halten/machen",
    A.EXERCISE: f"{BEWEGT}, {BEWEGT} gehen/spielen/machen/trainieren, zum {BEWEGT} gehen/~, beim sport, sport treiben, "
    "laufe, zu laufen, jogge, zu joggen, trainings, trainieren, trainiere, ein/das/mein training, schwimme, "
    "schwimmen zu "
    "gehen, rad/fahrrad fahren/~, radeln, radtour, radtouren, radfahren gehen, fitnessstudio, ins/im fitnessstudio, "
    "ins/im fitnessstudio gehen, gym, ins/zum gym, ins gym gehen, fitnesskurs, yogakurs, tanzkurs, pilateskurs, "
    "schwimmkurs, tanzstunde, tanzstunden, yogastunde, yogastunden, sportkurs, sportkurse, wandere, wanderung, "
    "wanderungen, spaziergänge, spaziergang, spazierengehen, spaziere, einen spaziergang machen, läufe, dauerlauf, "
    "lauftraining, lauf, bewegung, bewegen, mich bewegen, dehnen, dehnübungen, gewichte, gewichtheben, hanteltraining, "
    "ausdauertraining, fußballtraining, tennistraining, schwimmtraining, yogaeinheit, yogaeinheiten, sporteinheit, "
    "sporteinheiten, trainingseinheit, trainingseinheiten, muskeltraining, workout, workouts, kraftsport, ballsport, "
    "ballspiele, mannschaftssport, ski/schlittschuh fahren/laufen, skifahren, reiten, golf, golfen, hockey, eishockey, "
    "kampfsport, nordic walking, inliner fahren, rückentraining, rückengymnastik, rückenübungen, "
    "hiit, intervalltraining, fußballspielen, tennisspielen, sporttag, sport und bewegung, tanze, joggingrunde",
    A.MEDITATE: "meditation, meditieren, meditiere, zu meditieren, achtsamkeit, achtsamkeitsübung, "
    "achtsamkeitsübungen, "
    "achtsamkeitstraining, atemübungen, atemübung, atemübungen machen, meditationen, atmen üben, atemtraining, "
    "atemmeditation, geführte meditation/meditationen, bodyscan, body scan, entspannungsübungen, meditationszeit, "
    "yoga nidra",
    A.FAMILY_TIME: f"mit/zu/bei {MINE} {KIN}, zeit/mittagessen/abendessen/frühstück/kaffee/essen "
    f"mit {MINE} {KIN}, mit {MINE} {KIN} spielen/telefonieren/essen/frühstücken/sein/reden/verbringen, "
    f"{MINE} {KIN} anrufen/besuchen/treffen/sehen, zur/zum {KIN}, zur/zum {KIN} gehen/fahren, "
    f"telefonieren/telefonat mit {MINE} {KIN}, besuch/besuche bei {MINE} {KIN}, familie, die/meine/der/für familie, "
    f"zeit/~ für die/meine familie/kinder/eltern/enkel/frau, familienzeit, familientag, familientage, familienabend, "
    "familienabende, familienbesuch, familienbesuche, kinder, die/meine kinder, kindern, "
    "kinderzeit, enkel, die/meine enkel, papazeit, mamazeit, vater sohn zeit",
    A.SOCIALIZE: f"mit/bei {MINE} {KREIS}, {MINE} freunde/freunden/freundinnen/kumpels, {MINE} {KREIS} "
    f"treffen/sehen/besuchen/anrufen/einladen, mit {MINE} {KREIS} treffen/telefonieren/ausgehen/essen/feiern/reden/"
    f"quatschen, "
    f"mit {MINE} {TISCH} etwas/was trinken/unternehmen/machen/essen, zeit/treffen/mittagessen/abendessen/"
    f"essen/kaffee/bier/frühstück/telefonieren/telefonate/telefonat/brunch/drinks/feierabendbier mit {MINE} {TISCH}, "
    f"mit {MINE} {TISCH} ein/auf/einen bier/kaffee trinken/~, zeit für meine/~ freunde, ausgehen, ausgehe, weggehen, "
    "partys, party, partys feiern, party machen, feiern, feiern gehen, mich/jemanden/jemand treffen, etwas/was trinken "
    "gehen, stammtisch, zum stammtisch, kneipe, in die kneipe, in die kneipe gehen, geselligkeit, unter leute, "
    "unter leute gehen, kneipenabend, kneipenabende, feierabendbier, gesellschaft, verabredungen mit freunden",
    A.ME_TIME: "zeit für dich, zeit für sich, zeit/stunde nur/~ für mich allein/alleine/selbst/~, zeit allein, zeit "
    "alleine, hobby, hobbys, "
    "mein/meine/das/die/fürs hobby/hobbys, zeit für mein/meine/das/~ hobby/hobbys, hobbyzeit, zeit fürs hobby, "
    "ich zeit, me time, lesen, lese, zu lesen, lesezeit, lesestunde, ein/mein/im buch lesen/~, bücher lesen, "
    "buch lesen, romane lesen, badewanne, in die badewanne, in die badewanne gehen, ein/~ bad nehmen, ein bad, "
    "vollbad, "
    "ein vollbad, sauna, in die sauna, in die sauna gehen, massage, massagen, zocken, zocke, gamen, gaming, "
    "videospiele, "
    "videospiele/computerspiele spielen/~, computer spielen, computerspielen, playstation, playstation spielen, xbox, "
    "gärtnern, gartenarbeit, stricken, nähen, häkeln, basteln, malen, zeichnen, fotografieren, handarbeiten, "
    "handarbeit, "
    f"{INSTRUMENTE} spielen, musizieren, musik machen, puzzeln, töpfern, konsole, konsole spielen, modellbau",
    A.BINGE_WATCH: "fernsehen, fernseher, zu fernsehen, netflix, serien, serie, filme, film, tv, youtube, videos, "
    "fernsehen/filme/film/serien/serie/netflix/youtube/videos/tv schauen/gucken/sehen/ansehen/anschauen/streamen, "
    "eine/einen serie/film schauen/gucken/sehen/ansehen/anschauen, einen film, fernsehserien, fernsehzeit, "
    "fußball/sport/tennis/bundesliga/handball schauen/gucken/sehen/ansehen, fernsehabend, fernsehabende, filmabend, "
    "filmabende, serienabend, serienabende, netflixabend, netflixabende, "
    "kinoabend, streamen, streaming, bingen, binge watching, bingewatching, glotze, disney plus, amazon prime, twitch, "
    "youtube videos, youtube videos schauen, vor dem fernseher, vorm fernseher",
}
ENGLISH_METERS = {
    M.VITALITY: "vitality, energy, health, my energy, my health, fitness",
    M.COGNITION: "cognition, concentration, clarity, mental clarity",
    M.PROGRESS: "progress, achievement, getting things done",
    M.SERENITY: "serenity, calm, calmness, inner peace, peace of mind, relaxation",
    M.CONNECTION: "connection, relationships, my relationships, closeness",
}
GERMAN_METERS = {
    M.VITALITY: "vitalität, energie, gesundheit, meine gesundheit, meine energie",
    M.COGNITION: "kognition, konzentration, geistige klarheit, klarheit",
    M.PROGRESS: "fortschritt, vorankommen",
    M.SERENITY: "gelassenheit, ruhe, innere ruhe, entspannung",
    M.CONNECTION: "verbundenheit, beziehungen, nähe",
}

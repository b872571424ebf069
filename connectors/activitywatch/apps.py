"""Put apps into categories by their names alone. Browsers count as no work, because their pages are not looked at."""

from __future__ import annotations

import re
from types import MappingProxyType

CODE, DOCUMENTS, DESIGN = "code", "documents", "design"
COMMUNICATION, BROWSING, MEDIA, OTHER, OWN = "communication", "browsing", "media", "other", "own"
WORK_KINDS = frozenset({CODE, DOCUMENTS, DESIGN, OWN})
APP_NAME_MAX = 100  # characters
ENDING = re.compile(r"(\.(exe|app|appimage|bin|desktop))$")
_NAMES = {
    CODE: """code, visual studio code, vscode, codium, vscodium, code oss, cursor, windsurf, zed, devenv, visual studio,
        pycharm, idea, intellij idea, webstorm, goland, clion, rider, phpstorm, rubymine, datagrip, rustrover, fleet,
        android studio, studio, xcode, vim, nvim, gvim, neovide, emacs, sublime text, notepad++, kate, geany, helix,
        terminal, iterm, iterm2, alacritty, kitty, wezterm, wezterm gui, ghostty, gnome terminal, gnome terminal server,
        konsole, xterm, tilix, windowsterminal, windows terminal, powershell, pwsh, cmd, warp, hyper, jupyterlab,
        jupyter lab, spyder, rstudio, matlab, dbeaver, tableplus, postman, insomnia, docker desktop, github desktop,
        sourcetree, fork, gitkraken, unity, godot, unrealeditor""",
    DOCUMENTS: """winword, word, microsoft word, excel, microsoft excel, powerpnt, powerpoint, microsoft powerpoint,
        onenote, microsoft onenote, soffice, libreoffice, libreoffice writer, libreoffice calc, libreoffice impress,
        pages, numbers, keynote, obsidian, notion, evernote, logseq, joplin, zettlr, typora, scrivener, ulysses, bear,
        zotero, mendeley, mendeley reference manager, acrobat, acrord, adobe acrobat, preview, evince, okular, zathura,
        sumatrapdf, foxitpdfreader, texstudio, texmaker, lyx, anki, calibre, wps, wpsoffice, onlyoffice""",
    DESIGN: """photoshop, adobe photoshop, illustrator, adobe illustrator, indesign, adobe indesign, afterfx,
        adobe premiere pro, lightroom, adobe lightroom, figma, sketch, gimp, inkscape, krita, blender,
        affinity designer, affinity photo, affinity publisher, davinci resolve, resolve, final cut pro, kdenlive,
        logic pro, logic pro x, reaper, audacity, acad, autocad, sldworks, freecad, fusion360, qgis, ableton live""",
    COMMUNICATION: """slack, discord, teams, ms teams, microsoft teams, outlook, olk, microsoft outlook, thunderbird,
        mail, spark, mimestream, evolution, zoom, zoom.us, webex, skype, telegram, telegram desktop, whatsapp, signal,
        element,
        messages, facetime, mattermost, wechat, weixin, viber""",
    BROWSING: """chrome, google chrome, chromium, firefox, librewolf, safari, msedge, microsoft edge, brave,
        brave browser, opera, vivaldi, arc, zen, orion, iexplore, tor browser""",
    MEDIA: """spotify, vlc, mpv, netflix, music, apple music, itunes, tv, plex, jellyfin media player, youtube, steam,
        steamwebhelper, epicgameslauncher, minecraft, roblox, battle.net, photos, podcasts, audible""",
}
CATEGORIES = MappingProxyType(
    {re.sub(r"\s+", " ", name).strip(): category for category, text in _NAMES.items() for name in text.split(",")}
)


def plain(app: str) -> str:
    """Return an app's name in lower case, without the ending of its file and a number at its end.

    A hyphen or an underscore becomes a space. A number stays if the name with it is known. The first 100
    characters count.

    >>> plain("Code.exe"), plain("gnome-terminal-server"), plain("pycharm64.exe"), plain("Sublime_Text")
    ('code', 'gnome terminal server', 'pycharm', 'sublime text')
    """
    name = ENDING.sub("", app[:APP_NAME_MAX].strip().casefold())
    spaced = re.sub(r"[\s_-]+", " ", name).strip()
    return spaced if spaced in CATEGORIES else re.sub(r" ?\d+$", "", spaced)


def category(app: object, own: frozenset[str] = frozenset()) -> str:
    """Return an app's category by its name, such as "code", "own" for those in ``own``, or "other"."""
    if not isinstance(app, str):
        return OTHER
    name = plain(app)
    return OWN if name in own else CATEGORIES.get(name, OTHER)


def own_apps(setting: str) -> frozenset[str]:
    """Return the names of apps in a setting, which stand between commas, in the form that ``plain`` gives."""
    return frozenset(filter(None, (plain(name) for name in setting.split(","))))

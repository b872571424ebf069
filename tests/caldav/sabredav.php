<?php
// A CalDAV server of the family of Baikal and Nextcloud, made of Debian's php-sabre-dav. Run: php -S 127.0.0.1:PORT server.php
error_reporting(E_ERROR | E_PARSE);
require '/usr/share/php/Sabre/autoload.php';

$fresh = !file_exists(getenv('SABRE_DATABASE'));
$pdo = new PDO('sqlite:' . getenv('SABRE_DATABASE'));
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$pdo->exec('PRAGMA busy_timeout = 20000');
if ($fresh) {
    $pdo->exec("CREATE TABLE calendarobjects (id integer primary key asc, calendardata blob, uri text, calendarid integer,
        lastmodified integer, etag text, size integer, componenttype text, firstoccurence integer, lastoccurence integer);
        CREATE TABLE calendars (id integer primary key asc, principaluri text, displayname text, uri text, ctag integer,
        description text, calendarorder integer, calendarcolor text, timezone text, components text, transparent bool);
        CREATE TABLE principals (id INTEGER PRIMARY KEY ASC, uri TEXT, email TEXT, displayname TEXT, vcardurl TEXT,
        UNIQUE(uri));
        CREATE TABLE groupmembers (id INTEGER PRIMARY KEY ASC, principal_id INTEGER, member_id INTEGER,
        UNIQUE(principal_id, member_id));
        INSERT INTO principals (uri, email, displayname) VALUES ('principals/ana', 'ana@example.com', 'Ana');");
}

class Login extends Sabre\DAV\Auth\Backend\AbstractBasic
{
    protected function validateUserPass($username, $password)
    {
        return $username === 'ana' && $password === getenv('SABRE_PASSWORD');
    }
}

$principals = new Sabre\DAVACL\PrincipalBackend\PDO($pdo);
$calendars = new Sabre\CalDAV\Backend\PDO($pdo);
$server = new Sabre\DAV\Server([
    new Sabre\CalDAV\Principal\Collection($principals),
    new Sabre\CalDAV\CalendarRootNode($principals, $calendars),
]);
$server->setBaseUri('/');
$server->addPlugin(new Sabre\DAV\Auth\Plugin(new Login(), 'SabreDAV'));
$server->addPlugin(new Sabre\DAVACL\Plugin());
$server->addPlugin(new Sabre\CalDAV\Plugin());
$server->exec();

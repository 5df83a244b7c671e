package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.rocketbufs.settings.SettingsCheck;
import io.rocketbufs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class AccessSettingsTest {
    private static final String SECRET = "hunter2";

    @TempDir
    Path folder;

    private static AccessSettings with(String... lines) {
        return AccessSettings.from(config(lines));
    }

    private static Config config(String... lines) {
        return ConfigFactory.parseString(
                        String.join("\n", lines), ConfigParseOptions.defaults().setOriginDescription("my.conf"))
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve();
    }

    /** Returns the errors that a check of the whole configuration reports. */
    private static List<String> problems(String... lines) {
        Config reference = ConfigFactory.parseResources("reference.conf").resolve();
        SettingsException all = catchThrowableOfType(SettingsException.class, () -> {
            SettingsCheck check = new SettingsCheck(config(lines), reference);
            check.values(BrokerSettings::from);
            check.finish();
        });
        return all == null ? List.of() : all.messages();
    }

    @Test
    void shouldGiveAllRightsToEveryoneUnlessThereAreUsers() {
        assertThat(with().anonymous()).isEqualTo(Permissions.ALL);
        for (String users : List.of("rbmq.credentials = [x]", "rbmq.users = [{name = u, token = x}]")) {
            assertThat(with(users).anonymous().grantAnything()).as(users).isFalse();
        }
        Permissions readers = with("rbmq.credentials = [x]", "rbmq.anonymous.subscribe = [\"news/#\"]")
                .anonymous();
        assertThat(readers.publish().isEmpty()).isTrue();
        assertThat(readers.subscribe()).hasToString("[news/#]");
        assertThat(with("rbmq.anonymous.publish = []").anonymous().publish().isEmpty())
                .isTrue();
    }

    @Test
    void shouldReadUsersWithEachKindOfToken() throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "\uFEFFin a file\r\n");
        List<UserSettings> users = with(
                        "rbmq.credentials = [short]",
                        "rbmq.users = [",
                        "{ name = feed, token = literal, publish = [\"prices/#\", news] }",
                        "{ name = desk, token-file = \"" + file
                                + "\", subscribe = [\"prices/#\"], max-connections = 20 }",
                        "{ name = ops, token-sha256 = \""
                                + TokenHash.of("hashed").hex().toUpperCase() + "\", admin = true }",
                        "]")
                .users();
        assertThat(users).extracting(UserSettings::name).containsExactly(null, "feed", "desk", "ops");
        assertThat(users).extracting(UserSettings::admin).containsExactly(true, false, false, true);
        assertThat(users)
                .extracting(UserSettings::maxConnections)
                .containsExactly(Integer.MAX_VALUE, Integer.MAX_VALUE, 20, Integer.MAX_VALUE);
        List<String> tokens = List.of("short", "literal", "in a file", "hashed");
        for (int i = 0; i < tokens.size(); i++) {
            assertThat(users.get(i).token().matches(TokenHash.of(tokens.get(i))))
                    .isTrue();
        }
        assertThat(users.get(0).permissions()).isEqualTo(Permissions.ALL);
        assertThat(users.get(1).permissions().publish()).hasToString("[prices/#, news]");
        assertThat(users.get(3).permissions().grantAnything()).isFalse();
    }

    @Test
    void shouldHashATokenLikeOtherPrograms() {
        // The result of: printf %s test | sha256sum
        assertThat(TokenHash.of("test").hex())
                .isEqualTo("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ token = hunter2 } | name: is missing",
                "{ name = \"\", token = hunter2 } | name: must have 1 to 64 characters",
                "{ name = \"a\\nb\", token = hunter2 } | name: must have 1 to 64 characters",
                "{ name = u } | token-file: is missing; set token-file, token-sha256, token or certificate",
                "{ name = u, token = \"\" } | token: a token must have 1 to 255 bytes",
                "{ name = u, token = \"hunter2\\n\" } | token: a token must have 1 to 255 bytes, without control",
                "{ name = u, token = [hunter2] } | token: cannot be read: expected a string",
                "{ name = u, token = hunter2, token-sha256 = hunter2 } | "
                        + "token-sha256: cannot be set together with token",
                "{ name = u, token-sha256 = hunter2 } | token-sha256: must have 64 hexadecimal digits",
                "{ name = u, token = hunter2, certificate = \"CN=u\" } | "
                        + "certificate: cannot be set together with token",
                "{ name = u, certificate = \"\" } | certificate: is empty; set a subject",
                "{ name = u, certificate = edge1 } | "
                        + "certificate: \"edge1\" is not a subject such as CN=edge1,O=Example",
                "{ name = u, token = x, tokn = hunter2 } | tokn: is not one of name, token,",
                "{ name = u, token = x, publish = \"a/#\" } | "
                        + "publish: \"a/#\" cannot be read: expected a list of strings",
                "{ name = u, token = x, publish = [\"a/#/b\", \"c+\"] } | "
                        + "publish: filter=\"a/#/b\" contains # before the last"
                        + " level; # must be the last level; filter=\"c+\" has the level \"c+\"",
                "{ name = u, token = x, subscribe = [\"\"] } | subscribe: topic.length=0",
                "{ name = u, token = x, subscribe = [\"$SYS/#\"] } | "
                        + "subscribe: filter=\"$SYS/#\" begins with $; such names are"
                        + " reserved",
                "{ name = u, token = x, admin = maybe } | admin: \"maybe\" cannot be read: expected true or false",
                "{ name = u, token = x, max-connections = 0 } | max-connections: 0 is not in the range 1 to"
            })
    void shouldNameTheKeyAndTheLineOfAnErrorButNoSecret(String user, String error) {
        assertThat(problems("rbmq.users = [", user, "]"))
                .singleElement()
                .asString()
                .startsWith("my.conf: 2: rbmq.users[0]." + error)
                .doesNotContain(SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rbmq.users = hunter2", "rbmq.users = [hunter2]", "rbmq.users = {token = hunter2}"})
    void shouldNotShowUsersThatAreNoList(String line) {
        assertThat(problems(line))
                .singleElement()
                .asString()
                .contains("rbmq.users: cannot be read")
                .doesNotContain(SECRET);
    }

    @Test
    void shouldReportAllErrorsTogether() {
        assertThat(problems(
                        "rbmq.address = 0.0.0.0",
                        "rbmq.users = [",
                        "{ name = a, token-file = \"/nonexistent/token\", publish = [\"#/a\"] }",
                        "{ name = b }",
                        "{ name = c, token = x, max-connections = many }",
                        "{ name = c, token = y }",
                        "]",
                        "rbmq.anonymous.publish = [\"+a\"]"))
                .extracting(line -> line.replaceFirst("(my.conf: [0-9]+: [^ ]+): .*", "$1"))
                .containsExactly(
                        "my.conf: 3: rbmq.users[0].publish",
                        "my.conf: 3: rbmq.users[0].token-file",
                        "my.conf: 4: rbmq.users[1].token-file",
                        "my.conf: 5: rbmq.users[2].max-connections",
                        "my.conf: 6: rbmq.users[3].name",
                        "my.conf: 8: rbmq.anonymous.publish");
    }

    @Test
    void shouldRefuseTwoUsersWithOneNameOrOneToken() {
        assertThat(problems("rbmq.users = [", "{ name = u, token = x }", "{ name = u, token = y }", "]"))
                .containsExactly("my.conf: 3: rbmq.users[1].name: another user already has the name \"u\"");
        assertThat(problems("rbmq.users = [", "{ name = u, token = x }", "{ name = v, token = x }", "]"))
                .containsExactly("my.conf: 3: rbmq.users[1].token: user \"u\" already has this token");
        String hash = TokenHash.of("x").hex();
        assertThat(problems(
                        "rbmq.users = [", "{ name = u, token = x }", "{ name = v, token-sha256 = " + hash + " }", "]"))
                .containsExactly("my.conf: 3: rbmq.users[1].token-sha256: user \"u\" already has this token");
        assertThat(problems("rbmq.credentials = [x]", "rbmq.users = [{ name = u, token = x }]"))
                .containsExactly("my.conf: 2: rbmq.users[0].token: rbmq.credentials already contains this token");
    }

    @Test
    void shouldRefuseTheHashOfAnEmptyToken() {
        assertThat(problems("rbmq.users = [{ name = u, token-sha256 = "
                        + TokenHash.of("").hex() + " }]"))
                .containsExactly("my.conf: 1: rbmq.users[0].token-sha256: is the hash of an empty token");
    }

    @Test
    void shouldNameATokenFileThatCannotBeUsed() throws IOException {
        byte[] binary = {(byte) 0xfe, (byte) 0xff, 0, 1, 2};
        assertThat(problemOf(folder.resolve("missing"))).contains("cannot read the token file " + folder + "/missing");
        assertThat(problemOf(Files.createFile(folder.resolve("empty")))).endsWith("empty is empty");
        assertThat(problemOf(Files.writeString(folder.resolve("mark"), "\uFEFF\n")))
                .endsWith("mark is empty");
        assertThat(problemOf(Files.write(folder.resolve("binary"), binary))).endsWith("binary is not UTF-8");
        assertThat(problemOf(Files.write(folder.resolve("zeros"), new byte[100])))
                .endsWith("zeros must contain one line of at most 255 bytes, without control characters");
        assertThat(problemOf(Files.write(folder.resolve("long"), new byte[64 * 1024])))
                .contains("long must contain one line");
        assertThat(problemOf(folder)).contains("cannot read the token file " + folder);
        assertThat(problemOf(Path.of(""))).contains("rbmq.users[0].token-file: cannot read the token file");
        Path unreadable = Files.writeString(folder.resolve("unreadable"), SECRET);
        Files.setPosixFilePermissions(unreadable, PosixFilePermissions.fromString("---------"));
        if (!Files.isReadable(unreadable)) { // does not hold for root, which can read every file
            assertThat(problemOf(unreadable)).endsWith("unreadable: permission denied");
        }
    }

    private static String problemOf(Path file) {
        List<String> problems = problems("rbmq.users = [", "{ name = u, token-file = \"" + file + "\" }", "]");
        assertThat(problems).hasSize(1);
        assertThat(problems.get(0))
                .startsWith("my.conf: 2: rbmq.users[0].token-file: ")
                .doesNotContain(SECRET);
        return problems.get(0);
    }

    @Test
    void shouldShowNoSecret() {
        AccessSettings settings = with("rbmq.credentials = [hunter2]", "rbmq.users = [{name = u, token = hunter22}]");
        String hash = TokenHash.of("hunter22").hex();
        assertThat(settings)
                .asString()
                .contains("credentials=(1)", "name=u", "token=***", "insecure=false")
                .doesNotContain(SECRET, hash, hash.substring(0, 8));
        assertThat(settings.users()).asString().doesNotContain(SECRET, hash);
    }

    @Test
    void shouldWarnOfATokenInAFileThatOthersCanRead() throws IOException {
        Path file = Files.writeString(
                folder.resolve("broker.conf"), "rbmq.users = [{ name = u, token = hunter2, publish = [a] }]");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(fromFile(file).warnings())
                .singleElement()
                .asString()
                .startsWith("All users of this machine can read " + file + ", which contains a token")
                .doesNotContain(SECRET);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(fromFile(file).warnings()).isEmpty();
        Files.writeString(file, "rbmq.credentials = [hunter2]");
        assertThat(fromFile(file).warnings()).isEmpty();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        assertThat(fromFile(file).warnings()).hasSize(1);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Files.writeString(
                file,
                "rbmq.users = [{ name = u, token-sha256 = " + TokenHash.of("x").hex() + " }]");
        assertThat(fromFile(file).warnings()).isEmpty();
    }

    @Test
    void shouldWarnOfATokenFileThatOthersCanRead() throws IOException {
        Path file = Files.writeString(folder.resolve("feed.token"), SECRET);
        String user = "rbmq.users = [{ name = u, publish = [a], token-file = \"" + file + "\" }]";
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(with(user).warnings())
                .containsExactly("All users of this machine can read " + file + ", which contains a token; run chmod"
                        + " o-r, or configure token-sha256 instead of the token");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(with(user).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true | rbmq.anonymous.publish = [a]",
                "true | rbmq { anonymous.publish = [a], credentials = [x] }",
                "true | rbmq.users = [{ name = u, token = x, publish = [a] }]",
                "false | rbmq.credentials = [x]",
                "false | rbmq.insecure = false",
                "false | rbmq { anonymous { publish = [], subscribe = [] }, credentials = [x] }"
            })
    void shouldKnowWhetherClientsHaveLimitedRights(boolean limited, String settings) {
        assertThat(with(settings).limitsClients()).isEqualTo(limited);
    }

    @Test
    void shouldRefuseATokenTwiceInTheCredentials() {
        assertThat(problems("rbmq.credentials = [hunter2, x, hunter2]"))
                .containsExactly("my.conf: 1: rbmq.credentials: contains a token twice");
    }

    private static AccessSettings fromFile(Path file) {
        return AccessSettings.from(ConfigFactory.parseFile(file.toFile())
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.credentials = [x]",
                "rbmq.users = [{name = u, token = x}]",
                "rbmq.insecure = true",
                "rbmq.users = [{name = u, token = x}], rbmq.anonymous.subscribe = [a]"
            })
    void shouldAcceptAnExposedAddressWithUsersOrAnExplicitSetting(String settings) {
        assertThat(problems("rbmq { address = 0.0.0.0, admin.address = 0.0.0.0 }", settings))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "address = 0.0.0.0",
                "address = \"::\"",
                "listeners = [{transport = tcp}, {transport = tcp, address = \"::\", port = 1}]",
                "admin.address = 0.0.0.0"
            })
    void shouldRefuseAnExposedAddressWithoutUsersEvenIfAnonymousClientsMayDoNothing(String address) {
        assertThat(problems("rbmq { " + address + ", anonymous { publish = [], subscribe = [] } }"))
                .singleElement()
                .asString()
                .startsWith("my.conf: 1: rbmq." + address.replaceFirst(" .*", ": "))
                .contains("\" is not a loopback address: set rbmq.credentials or rbmq.users, or set rbmq.insecure ="
                        + " true to");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.2", "\"::1\"", "localhost"})
    void shouldNotNeedUsersOnLoopback(String address) {
        assertThat(problems("rbmq { address = " + address + ", admin.address = " + address + " }"))
                .isEmpty();
    }
}

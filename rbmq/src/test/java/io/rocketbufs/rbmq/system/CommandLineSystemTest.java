package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.text.HostPort;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The interface for scripts: exit codes, the ready line, ports, and one line for each error. */
@Tag("once")
@Timeout(180)
final class CommandLineSystemTest {
    @TempDir
    Path folder;

    @Test
    void shouldPrintItsPortsWhenItIsReady() throws Exception {
        Path ports = folder.resolve("ports");
        try (RbmqProcess broker = RbmqProcess.start(
                "broker", "--set", "rbmq.port=0", "--set", "rbmq.admin.port=0", "--ports-file", ports.toString())) {
            broker.awaitOut("\n");
            assertThat(broker.outText()).matches("ready rbmq=[0-9]+ admin=[0-9]+\n");
            assertThat("ready " + String.join(" ", Files.readAllLines(ports)) + "\n")
                    .isEqualTo(broker.outText());
        }
    }

    @Test
    void shouldReportAnErrorWhenThePortsFileCannotBeWritten() throws Exception {
        try (RbmqProcess broker = RbmqProcess.start(
                "broker",
                "--set",
                "rbmq.port=0",
                "--set",
                "rbmq.admin.port=0",
                "--log-level",
                "error",
                "--ports-file",
                folder.resolve("nowhere/ports").toString())) {
            assertThat(broker.exitCode()).isEqualTo(1);
            assertThat(broker.outText()).isEmpty();
            assertThat(broker.errText().lines())
                    .singleElement()
                    .asString()
                    .contains("nowhere/ports: cannot be written");
        }
    }

    @Test
    void shouldReportAnErrorWhenThePortIsInUse() throws Exception {
        try (BrokerProcess first = BrokerProcess.start()) {
            String port = first.address().replaceAll(".*:", "");
            try (RbmqProcess second =
                    RbmqProcess.start("broker", "--set", "rbmq.port=" + port, "--set", "rbmq.admin.port=0")) {
                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.errText().lines())
                        .singleElement()
                        .asString()
                        .contains(port)
                        .containsIgnoringCase("in use");
            }
        }
    }

    @Test
    void shouldReportAnErrorWhenTheAdminPortIsInUse() throws Exception {
        try (BrokerProcess first = BrokerProcess.start()) {
            String port = first.adminAddress().replaceAll(".*:", "");
            try (RbmqProcess second =
                    RbmqProcess.start("broker", "--set", "rbmq.port=0", "--set", "rbmq.admin.port=" + port)) {
                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.errText().lines())
                        .singleElement()
                        .asString()
                        .contains(port)
                        .containsIgnoringCase("in use");
            }
        }
    }

    @Test
    void shouldTakeTheBrokerAndTheTokenFromTheEnvironment() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        try (RunningBroker broker = new RunningBroker("rbmq.users = [{name = u, token = secret, publish = [t]}]");
                RbmqProcess pub = RbmqProcess.startIn(
                        Map.of("RBMQ_BROKER", HostPort.of(broker.address()), "RBMQ_TOKEN_FILE", token.toString()),
                        "pub",
                        "t",
                        "m")) {
            assertThat(pub.exitCode()).as(pub.errText()).isZero();
            assertThat(broker.broker().state().receivedLength()).isEqualTo(5);
        }
    }

    @Test
    void shouldNameFileAndLineWhenAKeyIsUnknown() throws Exception {
        assertBadConfiguration(
                "broker.conf: 3",
                "did you mean rbmq.broker.slow-policy?",
                "rbmq {",
                "broker {",
                "slow-polcy = block",
                "}",
                "}");
    }

    @Test
    void shouldNameFileAndLineWhenAValueIsWrong() throws Exception {
        assertBadConfiguration("broker.conf: 2", "rbmq.broker.capacity", "# too small", "rbmq.broker.capacity = -1");
    }

    @Test
    void shouldSuggestAValueWhenOneIsMisspelt() throws Exception {
        assertBadConfiguration("broker.conf: 1", "did you mean \"disconnect\"?", "rbmq.broker.slow-policy = disconect");
    }

    @Test
    void shouldNameFileAndLineWhenATransportsValueIsWrong() throws Exception {
        assertBadConfiguration("broker.conf: 1", "rocketbufs.tcp.backlog", "rocketbufs.tcp.backlog = lots");
    }

    @Test
    void shouldOnlyCheckTheConfigurationOnRequest() throws Exception {
        try (RbmqProcess broker = RbmqProcess.start("broker", "--check-config", "--set", "rbmq.port=1")) {
            assertThat(broker.exitCode()).as(broker.errText()).isZero();
        }
    }

    @Test
    void shouldExitWith69WhenTheTransportIsNotInstalled() throws Exception {
        try (RbmqProcess broker =
                RbmqProcess.start("broker", "--set", "rocketbufs.transport=pigeon", "--set", "rbmq.port=0")) {
            assertThat(broker.exitCode()).isEqualTo(69);
            assertThat(broker.errText().lines()).singleElement().asString().contains("\"pigeon\"", "tcp");
        }
    }

    @Test
    void shouldExitWith69WhenThereIsNoBroker() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start()) {
            broker.process().signal("KILL");
            broker.process().exitCode();
            try (RbmqProcess publisher = RbmqProcess.start("pub", "t", "m", "--broker", broker.address())) {
                assertThat(publisher.exitCode()).isEqualTo(69);
                assertThat(publisher.errText().lines())
                        .singleElement()
                        .asString()
                        .contains(broker.address());
            }
        }
    }

    @Test
    void shouldEndAfterTheGivenNumberOfMessages() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber =
                        RbmqProcess.start("sub", "t", "--raw", "--count", "2", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            publish(broker, "t", "a", "b", "c");
            assertThat(subscriber.exitCode()).isZero();
            assertThat(subscriber.outText()).isEqualTo("ab");
        }
    }

    @Test
    void shouldExitWith1WhenItTimesOutBeforeTheCount() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.start(
                        "sub", "t", "--count", "2", "--timeout", "1s", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            assertThat(subscriber.exitCode()).isEqualTo(1);
            assertThat(subscriber.errText()).contains("only 0 of 2 messages arrived");
        }
    }

    @Test
    void shouldExitWith0WhenItTimesOutWithoutACount() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber =
                        RbmqProcess.start("sub", "t", "--timeout", "100ms", "--broker", broker.address())) {
            assertThat(subscriber.exitCode()).as(subscriber.errText()).isZero();
        }
    }

    @Test
    void shouldWriteEachMessageImmediatelyAtALowRate() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.start("sub", "t", "u", "--json", "--broker", broker.address());
                RbmqProcess publisher = RbmqProcess.start("pub", "u", "--lines", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed u");
            publisher.type("first \"one\"\n");
            subscriber.awaitOut("{\"topic\":\"u\",\"message\":\"first \\\"one\\\"\"}\n");
            publisher.stdin().write(new byte[] {(byte) 0xff, '\n'});
            publisher.stdin().flush();
            subscriber.awaitOut("{\"topic\":\"u\",\"base64\":\"/w==\"}\n");
        }
    }

    @Test
    void shouldEndQuietlyWhenTheReaderClosesItsOutput() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.startUnread("sub", "t", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            publish(broker, "t", "head");
            try (InputStream out = subscriber.stdout()) {
                assertThat(new String(out.readNBytes(5), StandardCharsets.UTF_8))
                        .isEqualTo("head\n");
            }
            publish(broker, "t", "more");
            assertThat(subscriber.exitCode()).isZero();
            assertThat(subscriber.errText()).isEqualTo("subscribed t\n");
        }
    }

    @Test
    void shouldEndWhenTheReaderIsGoneEvenIfNoMessageArrives() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.startUnread("sub", "t", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            subscriber.stdout().close();
            assertThat(subscriber.exitCode()).isZero();
            assertThat(subscriber.errText()).isEqualTo("subscribed t\n");
        }
    }

    @Test
    void shouldRefuseAnArgumentThatIsNotUtf8() throws Exception {
        // A Java process cannot pass such an argument to another, but a shell can.
        try (RbmqProcess publisher = RbmqProcess.startInShell("pub t \"$(printf 'caf\\351')\"")) {
            assertThat(publisher.exitCode()).isEqualTo(2);
            assertThat(publisher.errText())
                    .isEqualTo("rbmq: argument 3 is not UTF-8; --file - publishes the bytes of standard input as they"
                            + " are\n");
        }
    }

    @Test
    void shouldReloadItsConfigurationAtSighup() throws Exception {
        Path file = folder.resolve("broker.conf");
        String limits = "rbmq.limits.topics-per-connection = 5";
        Files.writeString(file, limits);
        try (BrokerProcess broker = BrokerProcess.start(file)) {
            RbmqProcess process = broker.process();
            Files.writeString(file, "rbmq.limits.topics-per-connection = 6\nrbmq.log-level = debug");
            process.signal("HUP");
            process.awaitErr("rbmq.limits.topics-per-connection: 5 -> 6, for requests from now on");
            process.awaitErr("rbmq.log-level: info -> debug");
            publish(broker, "t", "one");
            process.awaitErr(" DEBUG Publisher 1 ");
            Files.writeString(file, "rbmq.limits.topics-per-connection = 7\nrbmq.limitz = 1\nrbmq.insecure = x");
            process.signal("HUP");
            process.awaitErr("ERROR " + file + ": 2: rbmq.limitz: is not a known key");
            process.awaitErr("ERROR " + file + ": 3: rbmq.insecure: \"x\" cannot be read: expected true or false");
            process.awaitErr("The configuration was not reloaded, and nothing has changed");
            try (RbmqProcess reload = RbmqProcess.start("reload", "--admin", broker.adminAddress())) {
                assertThat(reload.exitCode()).isEqualTo(3);
                assertThat(reload.errText().lines())
                        .satisfiesExactly(
                                first -> assertThat(first).startsWith("rbmq: " + file + ": 2: rbmq.limitz: "),
                                second -> assertThat(second).startsWith("rbmq: " + file + ": 3: rbmq.insecure: "));
            }
            Files.delete(file);
            process.signal("HUP");
            process.awaitErr("ERROR " + file + ": no such file");
            Files.writeString(file, limits);
            process.signal("HUP");
            process.signal("HUP");
            process.awaitErr("rbmq.limits.topics-per-connection: 6 -> 5, for requests from now on");
            process.awaitErr("rbmq.log-level: debug -> info");
            assertThat(process.errText()).doesNotContain("-> 7");
            process.signal("TERM");
            assertThat(process.exitCode()).isEqualTo(143);
            assertThat(process.errText().lines())
                    .allSatisfy(line -> assertThat(line)
                            .matches("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{3}Z (DEBUG|INFO|WARN|ERROR) .*"));
        }
    }

    @Test
    void shouldFailWhenItsOutputCannotBeWritten() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.startInto(
                        new File("/dev/full"), "sub", "t", "--count", "1", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            publish(broker, "t", "one");
            assertThat(subscriber.exitCode()).isEqualTo(1);
            assertThat(subscriber.errText())
                    .isEqualTo("subscribed t\nrbmq: standard output can no longer be written\n");
        }
    }

    @Test
    void shouldPublishAFileAsOneMessage() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[] {1, '\n', 2, '\n', (byte) 0xfe});
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber =
                        RbmqProcess.start("sub", "t", "--raw", "--count", "1", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            try (RbmqProcess publisher =
                    RbmqProcess.start("pub", "t", "--file", file.toString(), "--broker", broker.address())) {
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            }
            assertThat(subscriber.exitCode()).isZero();
            assertThat(subscriber.outBytes()).isEqualTo(Files.readAllBytes(file));
        }
    }

    @Test
    void shouldShowTopicsStateAndHealthOfABroker() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.start("sub", "t", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            assertThat(output("topics", "--admin", broker.adminAddress())).contains("t ");
            assertThat(output("topics", "--json", "--admin", broker.adminAddress()))
                    .contains("\"t\"");
            assertThat(output("stat", "--once", "--admin", broker.adminAddress()))
                    .contains("topics 1\n", "refusals.wrong-token 0\n");
            assertThat(output("stat", "--once", "--json", "--admin", broker.adminAddress()))
                    .startsWith("{");
            assertThat(output("health", "--admin", broker.adminAddress())).isEqualTo("ready\n");
            assertThat(output("health", "--live", "--admin", broker.adminAddress()))
                    .isEqualTo("live\n");
        }
    }

    @Test
    void shouldPublishWhatAPipeContains() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RbmqProcess subscriber = RbmqProcess.start("sub", "t", "--count", "2", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            for (String source : List.of("pub t", "pub t --file /dev/stdin")) {
                try (RbmqProcess publisher =
                        RbmqProcess.startInShell(source + " --broker " + broker.address() + " < <(printf hello)")) {
                    assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
                }
            }
            assertThat(subscriber.exitCode()).isZero();
            assertThat(subscriber.outText()).isEqualTo("hello\nhello\n");
        }
    }

    @Test
    void shouldShowTransports() throws Exception {
        assertThat(output("transports"))
                .startsWith("auto: connects over tcp, ")
                .contains("\ntcp: available, ", "\nrdma: ", "\n  longestRead 0\n");
        assertThat(output("transports", "--json"))
                .startsWith("{\"auto\":{\"first\":\"tcp\",\"preferred\":[")
                .contains("\"transports\":[{\"name\":\"tcp\",\"available\":true");
    }

    @Test
    void shouldShowWhyEachProviderOfATransportIsNotAvailable() throws Exception {
        String text = output("transports", "--set", "rocketbufs.rdma.library=libfabric-missing.so");
        for (String name : List.of("rdma", "  verbs", "  tcp", "  sockets")) {
            assertThat(text.lines())
                    .filteredOn(line -> line.startsWith(name + ": not available, "))
                    .singleElement()
                    .asString()
                    .contains("libfabric-missing.so", "apt-get install libfabric1");
        }
    }

    @Test
    void shouldExitWith69WhenALibraryIsMissing() throws Exception {
        String[] missing = {
            "--set", "rocketbufs.transport=rdma", "--set", "rocketbufs.rdma.library=libfabric-missing.so"
        };
        for (String command :
                List.of("broker", "pub t m", "sub t", "demo", "bench throughput --size 8 --duration 1s")) {
            List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
            arguments.addAll(List.of(missing));
            try (RbmqProcess process = RbmqProcess.start(arguments.toArray(String[]::new))) {
                assertThat(process.exitCode()).as(command).isEqualTo(69);
                assertThat(process.errText().lines())
                        .as(command)
                        .singleElement()
                        .asString()
                        .contains("libfabric-missing.so", "apt-get install libfabric1");
            }
        }
    }

    @Test
    void shouldNameTheKeyWhenAProviderIsMisspelt() throws Exception {
        try (RbmqProcess broker = RbmqProcess.start(
                "broker", "--set", "rocketbufs.transport=rdma", "--set", "rocketbufs.rdma.provider=tpc")) {
            assertThat(broker.exitCode()).isEqualTo(3);
            assertThat(broker.errText().lines())
                    .singleElement()
                    .asString()
                    .contains("rocketbufs.rdma.provider: \"tpc\"", "did you mean \"tcp\"?");
        }
    }

    private static String output(String... arguments) throws InterruptedException {
        try (RbmqProcess process = RbmqProcess.start(arguments)) {
            assertThat(process.exitCode()).as(process.errText()).isZero();
            return process.outText();
        }
    }

    private static void publish(BrokerProcess broker, String topic, String... messages) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("pub", topic));
        arguments.addAll(List.of(messages));
        arguments.addAll(List.of("--broker", broker.address()));
        try (RbmqProcess publisher = RbmqProcess.start(arguments.toArray(String[]::new))) {
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
        }
    }

    private void assertBadConfiguration(String place, String what, String... lines)
            throws IOException, InterruptedException {
        Path file = Files.write(folder.resolve("broker.conf"), List.of(lines));
        try (RbmqProcess broker = RbmqProcess.start("broker", "--config", file.toString())) {
            assertThat(broker.exitCode()).as(broker.errText()).isEqualTo(3);
            assertThat(broker.errText().lines()).singleElement().asString().contains(place, what);
        }
    }
}

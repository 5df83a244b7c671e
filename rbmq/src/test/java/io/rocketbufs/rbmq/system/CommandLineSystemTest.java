package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.text.HostPort;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the interface for scripts: exit codes, the ready line, ports, and one line for each error. */
@Tag("once")
@Timeout(600)
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
    void shouldReportAnErrorWhenThePortIsInUse() throws Exception {
        try (LocalBroker first = LocalBroker.start()) {
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
    void shouldEndAfterTheGivenNumberOfMessages() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = broker.subscriber("sub", "t", "--raw", "--count", "2")) {
            subscriber.awaitErr("subscribed t");
            publish(broker, "t", "a", "b", "c");
            assertThat(subscriber.exitCode()).isZero();
            assertThat(subscriber.outText()).isEqualTo("ab");
        }
    }

    @Test
    void shouldExitWith1WhenItTimesOutBeforeTheCount() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = RbmqProcess.start(
                        "sub", "t", "--count", "2", "--timeout", "1s", "--broker", broker.address())) {
            subscriber.awaitErr("subscribed t");
            assertThat(subscriber.exitCode()).isEqualTo(1);
            assertThat(subscriber.errText()).contains("only 0 of 2 messages arrived");
        }
    }

    @Test
    void shouldExitWith0WhenItTimesOutWithoutACount() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = broker.subscriber("sub", "t", "--timeout", "100ms")) {
            assertThat(subscriber.exitCode()).as(subscriber.errText()).isZero();
        }
    }

    @Test
    void shouldWriteEachMessageImmediatelyAtALowRate() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = broker.subscriber("sub", "t", "u", "--json");
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
        try (LocalBroker broker = LocalBroker.start();
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
        try (LocalBroker broker = LocalBroker.start();
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
            try (RbmqProcess publisher = broker.localPublisher("pub", "t", "one")) {
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            }
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
        try (LocalBroker broker = LocalBroker.start();
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
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = broker.subscriber("sub", "t", "--raw", "--count", "1")) {
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
    void shouldPublishWhatAPipeContains() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = broker.subscriber("sub", "t", "--count", "2")) {
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

    private static void publish(LocalBroker broker, String topic, String... messages) {
        Publisher publisher = broker.running().publisher();
        for (String message : messages) {
            assertThat(publisher.publish(topic, message.getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(PublishResult.PUBLISHED);
        }
    }
}

package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.cli.Units;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.bench.BenchMessageLayout;
import io.rocketbufs.rbmq.bench.BenchPublishers;
import io.rocketbufs.rbmq.bench.TimerSlack;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rbmq bench publisher} command: a benchmark's publisher as a separate command. */
@Command(
        name = "publisher",
        description = "Publishes verifiable messages, for a benchmark whose processes are started separately.",
        footer = {
            "",
            "Examples:",
            "  rbmq bench publisher --topic t --size 100 --duration 10s",
            "  rbmq bench publisher --topic t --size 64 --rate 1000 --broker 127.0.0.1:7610"
        })
final class PublisherCommand implements Callable<Integer> {
    private static final Duration STALL_TIMEOUT = Duration.ofSeconds(45);

    private final Streams streams;

    @Mixin
    RoleOptions role = new RoleOptions();

    @Option(
            names = "--size",
            required = true,
            paramLabel = "BYTES",
            converter = Units.LengthConverter.class,
            description = "Length of a message in bytes, at least 8.")
    int length;

    @Option(names = "--rate", paramLabel = "N", description = "Messages per second; unlimited by default.")
    long rate;

    @Option(
            names = "--number",
            paramLabel = "N",
            description =
                    "Number of the publisher or topic, unique and below 65536; derived from the process id by default.")
    int number = -1;

    @Mixin
    BatchOption batch = new BatchOption();

    @Option(names = "--stamp-all", hidden = true, description = "Adds a timestamp to every message.")
    boolean stampAll;

    PublisherCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        BenchSizes.checkLength(length);
        BenchSizes.checkBatch(batch.count);
        if (rate > 0) {
            TimerSlack.shorten();
        }
        Config loaded = role.broker.config.load(ClientSettings::publisher, RocketBufs::check);
        // There is no drain timeout, because drain() waits for the broker before the publishers are closed.
        ClientSettings settings = role.broker.publisher(loaded).withDrainTimeout(0);
        RoleController controller = new RoleController(streams);
        Termination termination = Termination.stopsBy(controller::stop);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                termination;
                BenchPublishers publishers = new BenchPublishers(controller::stop)) {
            role.connectEach(member -> publishers.connect(rocketBufs, settings, role.topicsOf(member)));
            checkFits(publishers.longestMessage());
            publishers.start(firstNumber(), length, rate, stampAll, batch.count);
            streams.tell("publishing");
            role.run(controller, publishers);
            String problem = publishers.problem();
            publishers.stop();
            long missing = drain(publishers);
            streams.tell(Json.of(report(publishers)));
            boolean isConnected = publishers.connections().stream().allMatch(Publisher::isConnected);
            if (problem != null) {
                throw new CommandFailure(isConnected ? ExitCode.FAILED : ExitCode.UNAVAILABLE, problem);
            }
            if (missing > 0) {
                throw new CommandFailure(
                        isConnected ? ExitCode.TIMEOUT : ExitCode.UNAVAILABLE,
                        missing + " messages were not confirmed by the broker");
            }
        }
        return ExitCode.DONE;
    }

    private void checkFits(int longest) {
        if (length > longest) {
            throw CommandFailure.usage("--size " + length + ": exceeds the maximum message length of " + longest
                    + " bytes; raise rbmq.publisher.capacity");
        }
    }

    /**
     * Waits until the broker has consumed all messages. Returns the number of messages that the broker has not
     * confirmed.
     */
    private static long drain(BenchPublishers publishers) {
        long missing = 0;
        for (Publisher connection : publishers.connections()) {
            Drain.await(connection, STALL_TIMEOUT, () -> true);
            missing += Drain.missingCount(connection);
        }
        return missing;
    }

    private int firstNumber() {
        return number >= 0 ? number : (int) (ProcessHandle.current().pid() % BenchMessageLayout.MAX_PUBLISHERS);
    }

    private static Map<String, Object> report(BenchPublishers publishers) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("role", "publisher");
        report.put("sent", publishers.count());
        report.put("per_s", publishers.perSecond());
        return report;
    }
}

package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.bench.BenchRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that the publisher and subscriber commands of a benchmark share. */
final class RoleOptions {
    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Option(
            names = "--topic",
            required = true,
            paramLabel = "TOPIC",
            description = "A topic; may be repeated. A publisher publishes to all given topics in turn.")
    List<String> topics;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "3s",
            converter = Units.DurationConverter.class,
            description = "How long messages flow before the measurement; ${DEFAULT-VALUE} by default.")
    Duration warmup;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Duration of the measurement; until SIGTERM by default.")
    Duration duration;

    @Option(names = "--members", hidden = true, description = "Number of publishers or subscribers in this process.")
    int members = 1;

    @Option(
            names = "--controlled",
            hidden = true,
            description = "Executes the commands of a coordinator on standard input.")
    boolean controlled;

    /** Connects all members one after another; see {@link BrokerOptions#connect}. */
    void connectEach(IntConsumer connect) {
        for (int i = 0; i < members; i++) {
            int member = i;
            BrokerOptions.connect(() -> {
                connect.accept(member);
                return member;
            });
        }
    }

    /**
     * Returns the topics of a publisher: its share of all topics, or one shared topic if there are fewer topics than
     * publishers.
     */
    List<String> topicsOf(int member) {
        if (topics.size() <= members) {
            return List.of(topics.get(member % topics.size()));
        }
        List<String> own = new ArrayList<>();
        for (int i = member; i < topics.size(); i += members) {
            own.add(topics.get(i));
        }
        return own;
    }

    /** Runs the role to its end. Returns the argument of the {@code stop} command. */
    String run(RoleController controller, BenchRole role) throws InterruptedException {
        if (controlled) {
            return controller.runByOrders(role);
        }
        controller.runByClock(role, warmup, duration);
        return "";
    }
}

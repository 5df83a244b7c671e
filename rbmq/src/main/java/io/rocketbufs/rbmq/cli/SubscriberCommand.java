package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.bench.BenchSubscribers;
import io.rocketbufs.rbmq.client.ClientSettings;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code rbmq bench subscriber} command: a benchmark's subscriber as a separate command. */
@Command(
        name = "subscriber",
        description = "Receives and checks messages, for a benchmark whose processes are started separately.",
        footer = {
            "",
            "Examples:",
            "  rbmq bench subscriber --topic t --duration 10s",
            "  rbmq bench subscriber --topic t --broker 127.0.0.1:7610"
        })
final class SubscriberCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    RoleOptions role = new RoleOptions();

    SubscriberCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        Config loaded = role.broker.config.load(ClientSettings::subscriber, RocketBufs::check);
        ClientSettings settings = role.broker.subscriber(loaded);
        RoleController controller = new RoleController(streams);
        String problem;
        boolean isConnected;
        Termination termination = Termination.stopsBy(controller::stop);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                termination) {
            BenchSubscribers subscribers = new BenchSubscribers(streams::say, controller::stop);
            try (subscribers) {
                role.connectEach(member -> subscribers.connect(rocketBufs, settings, role.topics));
                streams.tell("subscribed");
                String expected = role.run(controller, subscribers);
                if (!expected.isEmpty()) {
                    subscribers.awaitEach(Long.parseLong(expected));
                }
                problem = subscribers.problem();
                isConnected = subscribers.isConnected();
            }
            Map<String, Object> report = subscribers.report(role.controlled);
            streams.tell(Json.of(report));
        }
        if (problem != null) {
            throw new CommandFailure(isConnected ? ExitCode.FAILED : ExitCode.UNAVAILABLE, problem);
        }
        return ExitCode.DONE;
    }
}

package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import io.rocketbufs.settings.SimilarNames;
import io.rocketbufs.text.PlainText;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for commands that connect to a broker. */
final class LogClientOptions {
    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "Address of the broker; by default, the configured address (127.0.0.1:7630 if"
                    + " none is configured).")
    InetSocketAddress broker;

    @Mixin
    ConfigOptions config;

    LogClientOptions() {
        this(LogConfigurationOptions.forClients());
    }

    LogClientOptions(ConfigOptions config) {
        this.config = config;
    }

    /** Loads and checks the configuration. */
    Config load() {
        return config.load(LogClientSettings::from, RocketBufs::check);
    }

    /** Returns the configured settings, with the broker from the command line if one is given. */
    LogClientSettings settings(Config loaded) {
        LogClientSettings settings = LogClientSettings.from(loaded);
        return broker == null ? settings : settings.withBroker(broker);
    }

    /**
     * Connects to the broker, and runs an action.
     *
     * @param topic topic that the action needs; if the topic does not exist, the failure suggests a similar name
     */
    void withTopic(String topic, Consumer<TopicClient> action) {
        Config loaded = load();
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                TopicClient topics = TopicClient.connect(rocketBufs, settings(loaded))) {
            try {
                action.accept(topics);
            } catch (LogClientException e) {
                throw e.code() == LogClientException.Code.NO_SUCH_TOPIC ? missing(topic, topics) : e;
            }
        } catch (LogClientException e) {
            throw failure(e);
        }
    }

    private static CommandFailure missing(String topic, TopicClient topics) {
        String nearest = SimilarNames.nearest(
                topic, topics.topics().stream().map(TopicEntry::name).toList());
        return new CommandFailure(
                ExitCode.NOTHING_THERE,
                "topic " + PlainText.of(topic) + " does not exist; "
                        + (nearest == null ? "to list all topics: rocketlog topics" : "did you mean " + nearest + "?"));
    }

    /** Returns the command's failure that corresponds to a client's failure. */
    static CommandFailure failure(LogClientException cause) {
        return new CommandFailure(exitCode(cause), cause.getMessage());
    }

    /** Returns the exit code for a client's failure. */
    static int exitCode(LogClientException cause) {
        return switch (cause.code()) {
            case NO_SUCH_TOPIC, NO_SUCH_OFFSET, DELETED -> ExitCode.NOTHING_THERE;
            case REFUSED -> ExitCode.REFUSED;
            case TIMEOUT -> ExitCode.TIMEOUT;
            case STORAGE, DAMAGED -> ExitCode.FAILED;
            case CLOSED, NOT_NOW, MODE_UNAVAILABLE -> ExitCode.UNAVAILABLE;
        };
    }
}

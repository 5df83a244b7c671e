package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The {@code rbmq clients} command, which lists the clients of a broker with their rates, lag and delays. */
@Command(
        name = "clients",
        description = "Shows the clients of a broker, starting with those that are furthest behind.",
        footer = {"", "Examples:", "  rbmq clients", "  rbmq clients desk --sort delay --json"})
final class ClientsCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    ListOptions list = new ListOptions();

    @Parameters(
            arity = "0..1",
            paramLabel = "TEXT",
            description = "Shows only clients whose name, user or address contains this text.")
    String text;

    @Option(
            names = "--sort",
            paramLabel = "KEY",
            defaultValue = "LAG",
            description = "${COMPLETION-CANDIDATES}; by default lag. All but name begin with the highest number.")
    Sort sort;

    /** The sort keys of clients. */
    enum Sort {
        LAG,
        DELAY,
        LOST,
        RATE,
        IN,
        OUT,
        WAITED,
        TOPICS,
        NEWEST,
        NAME;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    ClientsCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        list.check();
        AdminClient client = list.admin.client();
        String answer = ListOptions.withRates(() -> client.clients(text, sort.toString(), list.limit));
        if (list.json) {
            streams.tell(answer);
        } else {
            show(Json.parse(answer));
        }
        return ExitCode.DONE;
    }

    private void show(Config answer) {
        List<AdminRow> clients = AdminTables.rows(answer, "clients");
        int nameWidth = AdminTables.clientNameWidth(clients);
        streams.tell(AdminTables.clientHeading(nameWidth)
                + String.format(" %8s  %-5s  %-20s  USER", "LOST", "OVER", "CONNECTED"));
        for (AdminRow client : clients) {
            String line = AdminTables.client(client, nameWidth)
                    + String.format(
                            " %8s  %-5s  %-20.20s  %s",
                            client.bytes("lostBytes"),
                            client.text("transport"),
                            client.text("connectedAt"),
                            client.text("user"));
            streams.tell(line.stripTrailing());
        }
        ListOptions.tellOfCut(streams, answer, "clients", "give a TEXT, or raise --limit");
    }
}

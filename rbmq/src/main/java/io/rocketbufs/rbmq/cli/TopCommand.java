package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The {@code rbmq top} command, which shows a broker's busiest topics and clients on a screen that is refreshed every
 * second.
 */
@Command(
        name = "top",
        description = "Shows a broker's busiest topics and clients, and refreshes them every second. Keys: q quits, s"
                + " changes the order, / enters a filter for topics. If standard output is not a terminal, prints"
                + " one table and exits.",
        footer = {"", "Examples:", "  rbmq top", "  rbmq top --admin 127.0.0.1:7611"})
final class TopCommand implements Callable<Integer> {
    private static final long PERIOD_MS = 1000;
    /** Maximum wait for a key in milliseconds, which bounds the time until the command reacts to a signal. */
    private static final long KEY_MS = 100;

    private static final int MAX_ROWS = 100;
    private static final int PLAIN_WIDTH = 100;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    TopCommand(Streams streams) {
        this.streams = streams;
    }

    /** The broker's responses that one screen shows. */
    private record Answers(Config status, Config topics, Config clients) {
        static Answers ask(AdminClient client, TopView view) {
            return new Answers(
                    Json.parse(client.status()),
                    Json.parse(client.topics(view.filter(), view.sort(), MAX_ROWS, false)),
                    Json.parse(client.clients(null, view.sort(), MAX_ROWS)));
        }

        List<String> lines(TopView view, int lineCount, int width) {
            return view.lines(status, topics, clients, lineCount, width);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        AdminClient client = admin.client();
        TopView view = new TopView(client.address());
        if (streams.outIsTerminal()) {
            // If the first request fails, the screen has not been changed yet.
            run(client, view, Answers.ask(client, view));
        } else {
            ListOptions.withRates(client::status);
            Answers.ask(client, view).lines(view, Integer.MAX_VALUE, PLAIN_WIDTH).stream()
                    .map(String::stripTrailing)
                    .forEach(streams::tell);
        }
        return ExitCode.DONE;
    }

    private void run(AdminClient client, TopView view, Answers first) throws InterruptedException {
        // A signal ends the process only after the screen has restored the terminal.
        try (StopRequest stop = StopRequest.bySignal();
                Screen screen = Screen.open(streams.out())) {
            Answers answers = first;
            long askedNs = System.nanoTime();
            draw(screen, view, answers);
            while (!stop.isMade() && !streams.out().checkError()) {
                int key = screen.awaitKey(KEY_MS);
                TopView.Wish wish = key < 0 ? TopView.Wish.NOTHING : view.press(key);
                if (wish == TopView.Wish.QUIT) {
                    return;
                }
                boolean isDue = System.nanoTime() - askedNs >= TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
                if (isDue || wish == TopView.Wish.REFRESH) {
                    answers = ask(client, view, answers);
                    askedNs = System.nanoTime();
                }
                if (isDue || wish != TopView.Wish.NOTHING) {
                    draw(screen, view, answers);
                }
            }
        }
    }

    /** Queries the broker. While the broker does not respond, shows the reason and the last responses. */
    private static Answers ask(AdminClient client, TopView view, Answers last) {
        try {
            Answers answers = Answers.ask(client, view);
            view.succeed();
            return answers;
        } catch (CommandFailure e) {
            view.fail(e.getMessage());
            return last;
        }
    }

    private static void draw(Screen screen, TopView view, Answers answers) {
        Screen.Size size = screen.size();
        List<String> lines = answers.lines(view, size.lines(), size.columns());
        while (lines.size() < size.lines() - 1) {
            lines.add("");
        }
        lines.add(view.lastLine(answers.topics(), size.columns()));
        screen.draw(lines);
    }
}

package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.RunningBroker;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of {@code rbmq top} in a pseudo-terminal of 80 columns, provided by {@code script} from util-linux. */
@Tag("once")
@Timeout(600)
final class TopSystemTest {
    /** The start of a run, which handles signals from then on. Unlike text on the screen, it appears once per run. */
    private static final String BEGUN = "\u001b[?1049h";

    private static final String RESTORED = "\u001b[?25h\u001b[?1049l";
    private static final Pattern SEQUENCE = Pattern.compile("\u001b\\[[?0-9;]*[A-Za-z]");

    @Test
    void shouldFollowKeysAndRestoreTheTerminalWhenAKeyOrASignalEndsIt() throws Exception {
        try (RunningBroker running = new RunningBroker()) {
            for (String topic : new String[] {"prices/\u202eeur", "trades"}) {
                running.publisher().topic(topic).announced().get(60, TimeUnit.SECONDS);
            }
            String admin = "127.0.0.1:" + running.broker().adminAddress().getPort();
            try (RbmqProcess terminal = RbmqProcess.startInTerminal(3, "top", "--admin", admin)) {
                terminal.awaitOut("q quit  s sort: rate");
                assertThat(terminal.outText()).contains("RBMQ " + admin, "prices/\\u202eeur ");
                terminal.type("s");
                terminal.awaitOut("s sort: in");
                terminal.type("/trades\r");
                terminal.awaitOut("/ filter: trades  1 of 2 topics");
                terminal.type("q");
                terminal.awaitOut("ended 0");
                // The terminal itself sends SIGINT to the command.
                terminal.awaitCount(BEGUN, 2);
                terminal.type("\u0003");
                terminal.awaitOut("ended 130");
                terminal.awaitCount(BEGUN, 3);
                terminal.terminateChild();
                terminal.awaitOut("ended 143");
                assertThat(terminal.exitCode()).isZero();
                String out = terminal.outText();
                assertThat(out.split(Pattern.quote(RESTORED), -1)).hasSize(4);
                assertThat(out.split("the same settings", -1)).hasSize(4);
                // A new frame starts at the top without a preceding line end.
                assertThat(SEQUENCE.matcher(out.replace("\u001b[H", "\n"))
                                .replaceAll("")
                                .lines())
                        .filteredOn(line -> line.length() > 80)
                        .isEmpty();
            }
        }
    }
}

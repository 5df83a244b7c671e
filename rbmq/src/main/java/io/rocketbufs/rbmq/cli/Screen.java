package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The controlling terminal as a full-screen display with a keyboard that is read key by key. The terminal settings are
 * changed and restored with {@code stty}, which every Linux system has, so no library is needed. Ctrl-C still sends a
 * signal.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> owns the terminal's settings until the screen is closed.
 */
final class Screen implements AutoCloseable {
    private static final File TERMINAL = new File("/dev/tty");
    private static final long STTY_S = 10;
    private static final int MAX_WAITING_KEYS = 1000;
    private static final int LINES = 24;
    private static final int COLUMNS = 80;

    /** Switches to the alternate screen, which preserves the user's lines, and hides the cursor. */
    private static final String BEGIN = "\u001b[?1049h\u001b[?25l";

    private static final String END = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final PrintStream out;
    private final String saved;
    private Size size = new Size(LINES, COLUMNS);
    private final BlockingQueue<Integer> keys = new LinkedBlockingQueue<>(MAX_WAITING_KEYS);

    /** The size of a screen in characters. */
    record Size(int lines, int columns) {}

    private Screen(PrintStream out, String saved) {
        this.out = out;
        this.saved = saved;
    }

    /**
     * Takes control of the terminal.
     *
     * @param out standard output, which must be the terminal
     * @throws CommandFailure if there is no terminal or stty cannot change its settings
     */
    static Screen open(PrintStream out) {
        Screen screen = new Screen(out, stty("-g"));
        try {
            // Suspending the process would leave the terminal in this state, so the suspend character is disabled.
            stty("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef");
            out.print(BEGIN);
            out.flush();
            Thread reader = new Thread(screen::readKeys, "keyboard");
            reader.setDaemon(true);
            reader.start();
            return screen;
        } catch (RuntimeException | Error e) {
            screen.close();
            throw e;
        }
    }

    /** Runs stty and returns its output without surrounding whitespace. */
    private static String stty(String... arguments) {
        try {
            List<String> command = new ArrayList<>(List.of("stty"));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectInput(TERMINAL)
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(STTY_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw CommandFailure.failed("stty " + String.join(" ", arguments) + " failed: " + output);
            }
            return output;
        } catch (IOException e) {
            throw CommandFailure.failed("the terminal cannot be used: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted while the terminal was being set up");
        }
    }

    private void readKeys() {
        try (InputStream in = new FileInputStream(TERMINAL)) {
            for (int key = in.read(); key >= 0; key = in.read()) {
                keys.offer(key);
            }
        } catch (IOException e) {
            // Without a keyboard, the display continues, and Ctrl-C still ends the command.
        }
    }

    /** Returns the current size; 24 lines of 80 columns if the terminal does not report its size. */
    Size size() {
        try {
            String[] parts = stty("size").split(" ");
            int lines = Integer.parseInt(parts[0]);
            int columns = Integer.parseInt(parts[1]);
            size = new Size(lines > 0 ? lines : LINES, columns > 0 ? columns : COLUMNS);
        } catch (CommandFailure e) {
            // Ctrl-C ends stty, too, in which case the command is about to end.
        }
        return size;
    }

    /**
     * Draws lines. They must be escaped, and neither their number nor their width may exceed the size of the screen.
     */
    void draw(List<String> lines) {
        StringBuilder frame = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            frame.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(CLEAR_LINE);
        }
        out.print(frame.append(CLEAR_BELOW));
        out.flush();
    }

    /** Waits for a key and returns its byte; -1 if no key is pressed within the timeout. */
    int awaitKey(long timeoutMs) throws InterruptedException {
        Integer key = keys.poll(timeoutMs, TimeUnit.MILLISECONDS);
        return key == null ? -1 : key;
    }

    /** Restores the terminal's settings and contents. */
    @Override
    public void close() {
        out.print(END);
        out.flush();
        stty(saved);
    }
}

package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.process.TestProgram;
import io.rocketbufs.rbmq.cli.CommandThread;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * An {@code rbmq} command as a separate process or, if a test does not need one, on a thread of the test. The output of
 * the command is collected unless a test reads it.
 *
 * <p><b>Ownership:</b> closing this object ends the command, regardless of its state.
 */
final class RbmqProcess implements AutoCloseable {
    private static final long LIMIT_S = 150;
    private final Process process;
    private final Collected out;
    private final Collected err;

    private RbmqProcess(Process process, boolean collectsOut, boolean collectsErr) {
        this.process = process;
        this.out = collectsOut ? new Collected(process.getInputStream()) : null;
        this.err = collectsErr ? new Collected(process.getErrorStream()) : null;
    }

    /** Returns the command line of a command that a test starts itself. */
    static List<String> command(String... arguments) {
        List<String> command = Program.RBMQ.command();
        command.addAll(List.of(arguments));
        return command;
    }

    static RbmqProcess start(String... arguments) {
        return start(builder(List.of(arguments)), true, true);
    }

    /**
     * Starts a command on a thread of the test. Compared to a process, it uses much less processor time, but cannot be
     * killed or stopped.
     */
    static RbmqProcess startLocally(String... arguments) {
        return new RbmqProcess(CommandThread.start(arguments), true, true);
    }

    /** Starts a command on a thread of the test. The test must read its standard output from {@link #stdout()}. */
    static RbmqProcess startLocallyUnread(String... arguments) {
        return new RbmqProcess(CommandThread.start(arguments), false, true);
    }

    /** Starts a process with additional environment variables. */
    static RbmqProcess startIn(Map<String, String> variables, String... arguments) {
        ProcessBuilder builder = builder(List.of(arguments));
        builder.environment().putAll(variables);
        return start(builder, true, true);
    }

    /**
     * Starts a process as an unprivileged user and group. This process must run as root. The jars are copied to the
     * given folder, because the unprivileged user may not be able to read the originals.
     */
    static RbmqProcess startUnprivileged(Path folder, String... arguments) throws IOException {
        List<String> command = Program.RBMQ.command();
        int place = command.indexOf("-cp") + 1;
        List<String> jars = new ArrayList<>();
        for (String jar : command.get(place).split(File.pathSeparator)) {
            jars.add(Files.copy(Path.of(jar), folder.resolve(jars.size() + ".jar"))
                    .toString());
        }
        command.set(place, String.join(File.pathSeparator, jars));
        command.addAll(0, List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        command.addAll(List.of(arguments));
        return start(withoutSettings(new ProcessBuilder(command)).directory(folder.toFile()), true, true);
    }

    /** Starts a process whose standard error is not read. */
    static RbmqProcess startWithUnreadErr(String... arguments) {
        return start(builder(List.of(arguments)), true, false);
    }

    /** Starts a process whose standard error is written to a file. */
    static RbmqProcess startWithErrInto(File file, String... arguments) {
        return start(builder(List.of(arguments)).redirectError(file), true, false);
    }

    /**
     * Starts a process whose standard output the test must read from {@link #stdout()}. Otherwise, the process blocks.
     */
    static RbmqProcess startUnread(String... arguments) {
        return start(builder(List.of(arguments)), false, true);
    }

    /** Starts a process whose standard output is written to a file. */
    static RbmqProcess startInto(File file, String... arguments) {
        return start(builder(List.of(arguments)).redirectOutput(file), false, true);
    }

    /** Starts a process from a shell, which expands the arguments. */
    static RbmqProcess startInShell(String arguments) {
        List<String> command = new ArrayList<>(List.of("bash", "-c", "exec \"$@\" " + arguments, "bash"));
        command.addAll(Program.RBMQ.command());
        return start(withoutSettings(new ProcessBuilder(command)), true, true);
    }

    /**
     * Starts a process that runs a command several times in a pseudo-terminal of 24 lines and 80 columns. After each
     * run, it prints {@code ended} with the exit code, and {@code the same settings} if the terminal's settings are
     * unchanged.
     */
    static RbmqProcess startInTerminal(int times, String... arguments) {
        List<String> command = command(arguments);
        String run = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        String all = "trap : INT; stty rows 24 cols 80; i=0; while [ $i -lt " + times + " ]; do i=$((i+1));"
                + " before=$(stty -g); " + run + "; echo \"ended $?\";"
                + " [ \"$(stty -g)\" = \"$before\" ] && echo 'the same settings'; done; exit 0";
        ProcessBuilder builder = withoutSettings(new ProcessBuilder("script", "-qefc", all, "/dev/null"));
        builder.environment().put("SHELL", "/bin/sh");
        return start(builder, true, true);
    }

    /** Removes environment variables with client settings, which the developer's environment may contain. */
    private static ProcessBuilder withoutSettings(ProcessBuilder builder) {
        builder.environment().keySet().removeIf(name -> name.startsWith("RBMQ_"));
        return builder;
    }

    private static RbmqProcess start(ProcessBuilder builder, boolean collectsOut, boolean collectsErr) {
        try {
            return new RbmqProcess(builder.start(), collectsOut, collectsErr);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ProcessBuilder builder(List<String> arguments) {
        return withoutSettings(new ProcessBuilder(command(arguments.toArray(String[]::new))));
    }

    OutputStream stdin() {
        return process.getOutputStream();
    }

    InputStream stdout() {
        return process.getInputStream();
    }

    /** Closes the command's standard input. */
    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** Waits until {@code rbmq pub} has published its standard input and the publishing thread has ended. */
    void awaitInputPublished() {
        Path threads = Path.of("/proc/" + process.pid() + "/task");
        await().atMost(Duration.ofSeconds(LIMIT_S))
                // Another thread may have ended while its name was being read.
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    for (String thread : threads.toFile().list()) {
                        if (Files.readString(threads.resolve(thread).resolve("comm"))
                                .startsWith("rbmq-input")) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    /** Writes a text to the command's standard input. */
    void type(String text) throws IOException {
        stdin().write(text.getBytes(StandardCharsets.UTF_8));
        stdin().flush();
    }

    byte[] outBytes() {
        return out.bytes();
    }

    String outText() {
        return out.text();
    }

    String errText() {
        return err == null ? "(not read)" : err.text();
    }

    void awaitOut(String text) {
        out.await(text, 1, this);
    }

    /** Waits until a text has appeared {@code count} times. */
    void awaitCount(String text, int count) {
        out.await(text, count, this);
    }

    /** Sends SIGTERM to the Java process that this process has started. */
    void terminateChild() {
        ProcessHandle child = process.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .findAny()
                .orElseThrow();
        assertThat(child.destroy()).isTrue();
    }

    void awaitErr(String text) {
        err.await(text, 1, this);
    }

    /** Returns the last line of the command's standard output. Called after the process has ended. */
    String lastLine() {
        String[] lines = outText().split("\n");
        return lines[lines.length - 1];
    }

    /** Sends a signal: TERM, KILL, STOP, CONT or INT. */
    void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        assertThat(code).as("kill -%s %d", name, process.pid()).isZero();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Waits until the process has ended and all its output has been read. */
    int exitCode() throws InterruptedException {
        return exitCode(LIMIT_S);
    }

    /** Waits like {@link #exitCode()}, but for at most {@code limitS} seconds. */
    int exitCode(long limitS) throws InterruptedException {
        assertThat(process.waitFor(limitS, TimeUnit.SECONDS))
                .as("ends within %d s; stderr so far: %s", limitS, errText())
                .isTrue();
        if (out != null) {
            out.join();
        }
        if (err != null) {
            err.join();
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** A holder that prepares the program only when the first process starts, because this takes seconds. */
    private static final class Program {
        static final TestProgram RBMQ = TestProgram.of(
                "io.rocketbufs.rbmq.cli.Main",
                "demo",
                "--one-process",
                "--warmup=100ms",
                "--duration=100ms",
                "--set=rbmq.port=0",
                "--set=rbmq.admin.port=0");
    }

    /** The data read from a stream so far. */
    private static final class Collected {
        private final SearchableBytes bytes = new SearchableBytes();
        private final Thread reader;

        Collected(InputStream in) {
            reader = new Thread(() -> collect(in), "collect");
            reader.setDaemon(true);
            reader.start();
        }

        synchronized byte[] bytes() {
            return bytes.toByteArray();
        }

        String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        void join() throws InterruptedException {
            reader.join(TimeUnit.SECONDS.toMillis(LIMIT_S));
        }

        /**
         * Waits until a text has arrived {@code count} times. Searches each byte only once, because there may be many
         * bytes.
         */
        synchronized void await(String text, int count, RbmqProcess process) {
            byte[] searched = text.getBytes(StandardCharsets.UTF_8);
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
            int found = 0;
            int from = 0;
            while (true) {
                for (int at = bytes.indexOf(searched, from); at >= 0; at = bytes.indexOf(searched, from)) {
                    found++;
                    from = at + searched.length;
                }
                if (found >= count) {
                    return;
                }
                from = Math.max(from, bytes.size() - searched.length + 1);
                awaitMore(deadlineNs, text, process);
            }
        }

        private synchronized void awaitMore(long deadlineNs, String text, RbmqProcess process) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            assertThat(leftMs > 0 && reader.isAlive())
                    .as(() -> "prints \"" + text + "\"; output so far: " + text() + "; stderr: " + process.errText())
                    .isTrue();
            try {
                wait(Math.min(leftMs, 100));
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting for \"" + text + "\"", e);
            }
        }

        private void collect(InputStream in) {
            byte[] chunk = new byte[1 << 16];
            try {
                for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                    synchronized (this) {
                        bytes.write(chunk, 0, count);
                        notifyAll();
                    }
                }
            } catch (IOException e) {
                // The process was ended by the test.
            }
        }
    }

    /** Bytes that can be searched without a copy. */
    private static final class SearchableBytes extends ByteArrayOutputStream {
        /** Returns the offset of the first occurrence that starts at {@code from} or later; -1 if there is none. */
        int indexOf(byte[] text, int from) {
            for (int i = from; i <= count - text.length; i++) {
                if (buf[i] == text[0] && Arrays.equals(buf, i, i + text.length, text, 0, text.length)) {
                    return i;
                }
            }
            return -1;
        }
    }
}

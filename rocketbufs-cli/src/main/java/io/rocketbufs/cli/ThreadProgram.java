package io.rocketbufs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A program that runs on a thread but has the interface of a process. It ends when its standard input ends.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
public final class ThreadProgram extends Process {
    private static final int PIPE_LENGTH = 1 << 16;

    private final String name;
    private final EntryPoint main;
    private final PipedOutputStream toStdin = new PipedOutputStream();
    private final PipedInputStream fromStdout = new PipedInputStream(PIPE_LENGTH);
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    /** A program's entry point. */
    public interface EntryPoint {
        /** Runs the program on this thread and returns its exit code. */
        int run(String[] arguments, Streams streams);
    }

    private ThreadProgram(String name, EntryPoint main) {
        this.name = name;
        this.main = main;
    }

    /**
     * Returns an object that starts programs on threads of this process.
     *
     * @param name the program's name, for its messages and threads
     */
    public static Programs of(String name, EntryPoint main) {
        return arguments -> start(name, main, arguments);
    }

    private static ThreadProgram start(String name, EntryPoint main, List<String> arguments) throws IOException {
        ThreadProgram program = new ThreadProgram(name, main);
        PipedInputStream stdin = new PipedInputStream(program.toStdin, PIPE_LENGTH);
        PipedOutputStream stdout = new PipedOutputStream(program.fromStdout);
        new Thread(() -> program.run(arguments, stdin, stdout), name + "-" + arguments.get(0)).start();
        return program;
    }

    private void run(List<String> arguments, InputStream stdin, OutputStream stdout) {
        int code = ExitCode.FAILED;
        try (PrintStream out = new PrintStream(stdout, false, StandardCharsets.UTF_8)) {
            code = main.run(arguments.toArray(String[]::new), new Streams(name, stdin, out, System.err));
        } finally {
            exitCode.complete(code);
        }
    }

    @Override
    public OutputStream getOutputStream() {
        return toStdin;
    }

    @Override
    public InputStream getInputStream() {
        return fromStdout;
    }

    @Override
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public int waitFor() throws InterruptedException {
        try {
            return exitCode.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int exitValue() {
        if (!exitCode.isDone()) {
            throw new IllegalThreadStateException("still running");
        }
        return exitCode.join();
    }

    @Override
    public void destroy() {
        try {
            toStdin.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

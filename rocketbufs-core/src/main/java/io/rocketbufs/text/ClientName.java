package io.rocketbufs.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The name of a client whose configuration contains none: {@code user@host/program[pid]}. An operator who sees this
 * name in the broker's log can find the process.
 */
public final class ClientName {
    /** Maximum length of the name, in bytes of UTF-8. */
    public static final int MAX_LENGTH = 255;

    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

    private ClientName() {}

    /** Returns the name for a program. If the name is too long, it is cut before the process id. */
    public static String of(String program) {
        return of(
                System.getProperty("user.name"),
                host(),
                program,
                ProcessHandle.current().pid());
    }

    /** Returns the name for this process, with its main class or jar as the program. */
    public static String ofProcess() {
        return of(program(System.getProperty("sun.java.command", "")));
    }

    /** @param host the name of the host; empty if it is unknown */
    static String of(String user, String host, String program, long pid) {
        String process = "[" + pid + "]";
        String name = PlainText.of(user + (host.isEmpty() ? "" : "@" + host) + "/" + program);
        while ((name + process).getBytes(StandardCharsets.UTF_8).length > MAX_LENGTH) {
            name = name.substring(0, name.offsetByCodePoints(name.length(), -1));
        }
        return name + process;
    }

    /**
     * Returns the program that a command line of the JVM starts: the simple name of its main class, or the name of its
     * jar. Never contains the arguments, which may be secret.
     */
    static String program(String command) {
        String first = command.split(" ", 2)[0];
        String file = first.substring(first.lastIndexOf('/') + 1);
        String program = file.endsWith(".jar")
                ? file.substring(0, file.length() - ".jar".length())
                : file.substring(file.lastIndexOf('.') + 1);
        return program.isEmpty() ? "java" : program;
    }

    /** Returns the name of the host without asking a name server, which may not answer. */
    private static String host() {
        try {
            return Files.readString(HOST).strip();
        } catch (IOException e) {
            return "";
        }
    }
}

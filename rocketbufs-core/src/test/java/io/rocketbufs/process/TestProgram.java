package io.rocketbufs.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A program that tests start many times as a separate process, with the class path of this JVM but without the test
 * classes. The program starts from a class-data archive, which saves processor time. The JVM can archive only classes
 * in jars, so folders are packed into jars.
 *
 * <p>The files are under {@code target}. All test JVMs of the same version share them until a class changes. If the
 * trial run fails, there is no archive, and the program starts more slowly.
 *
 * <p><b>Thread-safety:</b> immutable; two test JVMs may create the files at the same time.
 */
public final class TestProgram {
    /**
     * The time limit for the trial run. It is much longer than a trial run takes on a busy machine, because hundreds of
     * programs would start slowly without an archive.
     */
    private static final long TRIAL_S = 120;

    private static final List<String> FLAGS = flags();

    private final String main;
    private final String classPath;
    private final Path archive;

    private TestProgram(String main, String classPath, Path archive) {
        this.main = main;
        this.classPath = classPath;
        this.archive = archive;
    }

    private static List<String> flags() {
        List<String> flags = new ArrayList<>(List.of("-ea", "--enable-native-access=ALL-UNNAMED", "-Xmx256m"));
        // The launchers also pass -XX:-UsePerfData. Without it, the JVM samples its counters 20 times a second.
        flags.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        if (Runtime.version().feature() >= 23) {
            // The launchers also pass this flag. Without it, newer JVMs warn that JCTools' maps use Unsafe.
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return List.copyOf(flags);
    }

    /**
     * Creates a program.
     *
     * @param main the program's main class
     * @param trial arguments of a short run that loads most classes
     */
    public static TestProgram of(String main, String... trial) {
        List<Path> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(Files::exists)
                .filter(entry ->
                        !entry.endsWith("test-classes") && !entry.toString().endsWith("-tests.jar"))
                .toList();
        try {
            Path programs =
                    Files.createDirectories(Path.of("target", "programs").toAbsolutePath());
            entries.forEach(entry -> checkIsOutside(entry, programs));
            try (FileChannel file = FileChannel.open(
                            programs.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                assert lock.isValid();
                Path folder = folder(programs, entries);
                String classPath = jars(entries, folder);
                Path archive = folder.resolve(main + ".jsa");
                if (!Files.exists(archive)) {
                    archive(archive, classPath, main, trial);
                }
                return new TestProgram(main, classPath, archive);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Rejects a folder that contains the jars, because packing it into one of these jars would not end. */
    private static void checkIsOutside(Path entry, Path programs) {
        if (programs.startsWith(entry.toAbsolutePath().normalize())) {
            throw new IllegalStateException("class path entry \"" + entry + "\" contains " + programs
                    + ", where its classes would be packed; remove the entry (an empty one is the working directory)");
        }
    }

    /** Returns the start of the command, up to the main class, with additional JVM flags. */
    public List<String> command(String... flags) {
        List<String> command = command();
        command.addAll(List.of(flags));
        if (archive.toFile().length() > 0) {
            command.addAll(
                    List.of("-Xshare:auto", "-Xlog:cds=off,cds+dynamic=off", "-XX:SharedArchiveFile=" + archive));
        }
        command.addAll(List.of("-cp", classPath, main));
        return command;
    }

    private static List<String> command() {
        // A process inherits the signals that its parent ignores: SIGHUP under nohup, SIGINT in a script's background.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP,INT,QUIT"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        return command;
    }

    /** Returns the folder for these classes and this JVM. Deletes the previous folder. */
    private static Path folder(Path programs, List<Path> entries) throws IOException {
        long newest = 0;
        for (Path entry : entries) {
            try (Stream<Path> files = Files.walk(entry)) {
                for (Path each : files.toList()) {
                    newest = Math.max(newest, Files.getLastModifiedTime(each).toMillis());
                }
            }
        }
        String version = Runtime.version() + "_";
        Path folder = programs.resolve(version + newest + "_" + Integer.toHexString(entries.hashCode()));
        if (!Files.exists(folder)) {
            try (Stream<Path> previous = Files.list(programs)) {
                for (Path each : previous.filter(
                                path -> path.getFileName().toString().startsWith(version))
                        .toList()) {
                    delete(each);
                }
            }
        }
        return Files.createDirectories(folder);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : files.toList()) {
                Files.delete(each);
            }
        }
        Files.delete(folder);
    }

    private static String jars(List<Path> entries, Path folder) throws IOException {
        List<String> jars = new ArrayList<>();
        for (Path entry : entries) {
            Path jar = Files.isDirectory(entry) ? folder.resolve(jars.size() + ".jar") : entry.toAbsolutePath();
            if (!Files.exists(jar)) {
                pack(entry, jar);
            }
            jars.add(jar.toString());
        }
        return String.join(File.pathSeparator, jars);
    }

    private static void pack(Path folder, Path jar) throws IOException {
        Path unfinished = jar.resolveSibling("unfinished");
        try (OutputStream file = Files.newOutputStream(unfinished);
                ZipOutputStream zip = new ZipOutputStream(file);
                Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                zip.putNextEntry(new ZipEntry(folder.relativize(each).toString()));
                Files.copy(each, zip);
            }
        }
        Files.move(unfinished, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Creates the archive. An empty file means that the trial run failed. */
    private static void archive(Path archive, String classPath, String main, String... trial) throws IOException {
        Path unfinished = archive.resolveSibling("unfinished");
        Files.deleteIfExists(unfinished);
        List<String> command = command();
        command.addAll(List.of("-XX:ArchiveClassesAtExit=" + unfinished, "-cp", classPath, main));
        command.addAll(List.of(trial));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(archive.resolveSibling("trial.txt").toFile())
                .start();
        process.getOutputStream().close();
        boolean ended = false;
        try {
            ended = process.waitFor(TRIAL_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly().onExit().join();
        }
        if (!ended || !Files.exists(unfinished)) {
            Files.write(unfinished, new byte[0]);
        }
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
    }
}

package io.rocketbufs.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The class path of this JVM, without tests, for a program that tests start many times: jars with a class-data archive,
 * from which the program starts with less processor time. The JVM can only archive classes of jars, so folders become
 * jars.
 *
 * <p>The files stand below {@code target} and serve every JVM of the same version until a class changes. Without an
 * archive, because the trial run failed, programs start more slowly.
 *
 * <p><b>Thread-safety:</b> immutable; two test JVMs may open the same files at a time.
 */
public final class ProgramJars {
    private static final long TRIAL_S = 60;

    private final String classPath;
    private final Path archive;

    private ProgramJars(String classPath, Path archive) {
        this.classPath = classPath;
        this.archive = archive;
    }

    /**
     * Returns the jars of a program.
     *
     * @param flags the flags with which tests start the program; others would not match the archive
     * @param trial main class and arguments of a short run that loads most classes
     */
    public static ProgramJars of(List<String> flags, List<String> trial) {
        List<Path> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(Files::exists)
                .filter(entry ->
                        !entry.endsWith("test-classes") && !entry.toString().endsWith("-tests.jar"))
                .toList();
        try {
            String newest = Runtime.version().feature() + "-" + newest(entries);
            Path folder = Files.createDirectories(Path.of("target", "programs", newest))
                    .toAbsolutePath();
            try (FileChannel file = FileChannel.open(
                            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                assert lock.isValid();
                String classPath = jars(entries, folder);
                Path archive = folder.resolve("classes.jsa");
                if (!Files.exists(archive)) {
                    archive(archive, flags, classPath, trial);
                }
                return new ProgramJars(classPath, archive);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the flags that name the class path and the archive. */
    public List<String> flags() {
        return List.of(
                "-Xshare:auto", "-Xlog:cds=off,cds+dynamic=off", "-XX:SharedArchiveFile=" + archive, "-cp", classPath);
    }

    private static long newest(List<Path> entries) throws IOException {
        long newest = 0;
        for (Path entry : entries) {
            try (Stream<Path> files = Files.walk(entry)) {
                for (Path each : files.toList()) {
                    newest = Math.max(newest, Files.getLastModifiedTime(each).toMillis());
                }
            }
        }
        return newest;
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
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file);
                Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                zip.putNextEntry(new ZipEntry(folder.relativize(each).toString()));
                Files.copy(each, zip);
            }
        }
    }

    private static void archive(Path archive, List<String> flags, String classPath, List<String> trial)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, "-cp", classPath));
        command.addAll(trial);
        File log = archive.resolveSibling("trial.txt").toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            process.getOutputStream().close();
            process.waitFor(TRIAL_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}

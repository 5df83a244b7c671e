package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A folder in the file system.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class DiskFolder implements LogFolder {
    private final Path folder;
    private final Set<StandardOpenOption> access;

    private DiskFolder(Path folder, Set<StandardOpenOption> access) {
        this.folder = folder;
        this.access = access;
    }

    /**
     * Returns a folder whose files are opened for reading and writing. Creates the folder and its parents if they do
     * not exist. Always forces the folder's name, because an earlier process may have created the folder without
     * forcing its name.
     */
    static DiskFolder writable(Path folder) throws IOException {
        create(folder.toAbsolutePath());
        return new DiskFolder(folder, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /** Returns a folder as {@link #writable} does, in a parent whose names this process has already forced. */
    static DiskFolder writableIn(Path parent, String name) throws IOException {
        Path folder = parent.resolve(name);
        return Files.isDirectory(folder)
                ? new DiskFolder(folder, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE))
                : writable(folder);
    }

    private static void create(Path folder) throws IOException {
        Path parent = folder.getParent();
        boolean exists = Files.isDirectory(folder);
        if (!exists) {
            if (parent != null) {
                create(parent);
            }
            Files.createDirectories(folder); // another process may have created it in the meantime
        }
        try {
            if (parent != null) {
                forceNames(parent);
            }
        } catch (AccessDeniedException e) {
            if (!exists) {
                throw e;
            }
            // Without permission to read the parent, this user cannot have created the folder in it.
        }
    }

    /** Returns a folder whose files are opened for reading only. */
    static DiskFolder readOnly(Path folder) {
        return new DiskFolder(folder, Set.of(StandardOpenOption.READ));
    }

    @Override
    public String path(String name) {
        return folder.resolve(name).toString();
    }

    /** Returns true if the folder exists. */
    boolean exists() {
        return Files.isDirectory(folder);
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public LogFile open(String name) throws IOException {
        return new DiskFile(folder.resolve(name), access);
    }

    @Override
    public LogFile createNew(String name) throws IOException {
        Path path = folder.resolve(name);
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                .close();
        try {
            return new DiskFile(path, access);
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    @Override
    public LogFile create(String name) throws IOException {
        Path path = folder.resolve(name);
        FileChannel.open(
                        path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)
                .close();
        return new DiskFile(path, access);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void remove() throws IOException {
        Files.deleteIfExists(folder);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void force() throws IOException {
        forceNames(folder);
    }

    private static void force(FileChannel names) throws ForceException {
        try {
            names.force(true);
        } catch (IOException e) {
            throw new ForceException(e);
        }
    }

    private static void forceNames(Path folder) throws IOException {
        boolean wasInterrupted = Thread.interrupted(); // an interrupt would close the channel
        try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
            force(names);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

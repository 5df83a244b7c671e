package io.rocketbufs.rocketlog.log;

import io.rocketbufs.text.PlainText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The file {@code FORMAT} of a directory of logs, which contains the format version of the directory's files.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class DirectoryFormat {
    static final String NAME = "FORMAT";

    /**
     * The entries that a directory may contain before its version has been written. Some file systems create the last
     * entry.
     */
    private static final Set<String> OWN = Set.of(DirectoryLock.NAME, NAME + SegmentName.UNFINISHED, "lost+found");

    private static final String CURRENT = "rocketlog 1\n";

    private DirectoryFormat() {}

    /** Checks the version, or writes it if the directory has no version file. */
    static void claim(Path directory) throws IOException {
        if (Files.exists(directory.resolve(NAME))) {
            check(directory);
            return;
        }
        SmallFile.write(DiskFolder.writable(directory), NAME, StandardCharsets.US_ASCII.encode(CURRENT));
    }

    /**
     * Refuses a directory that has no version file but contains other files, because its path is probably a mistake.
     *
     * @throws LogException if the directory is refused; the message names one of these files
     */
    static void refuseForeign(Path directory) throws IOException {
        if (Files.exists(directory.resolve(NAME))) {
            return;
        }
        try (Stream<Path> content = Files.list(directory)) {
            String foreign = content.map(each -> each.getFileName().toString())
                    .filter(name -> !OWN.contains(name))
                    .sorted()
                    .findFirst()
                    .orElse(null);
            if (foreign != null) {
                throw new LogException(
                        LogException.Code.VERSION,
                        directory + " is not a log directory: it contains " + foreign + " but no file " + NAME,
                        "use an empty directory",
                        null);
            }
        }
    }

    /**
     * Checks the version.
     *
     * @throws LogException if the directory has a different format version, or is not a directory of logs
     */
    static void check(Path directory) throws IOException {
        Path file = directory.resolve(NAME);
        if (!Files.exists(file)) {
            throw new LogException(
                    LogException.Code.VERSION,
                    directory + " is not a log directory: it contains no file " + NAME,
                    "check the path",
                    null);
        }
        String found = Files.readString(file, StandardCharsets.ISO_8859_1); // decodes any byte
        if (!found.equals(CURRENT)) {
            throw new LogException(
                    LogException.Code.VERSION,
                    file + " states the format '" + PlainText.of(found.strip()) + "', but this program supports '"
                            + CURRENT.strip() + "'",
                    "use the version of rocketlog that wrote it, or restore the file if it is damaged",
                    null);
        }
    }
}

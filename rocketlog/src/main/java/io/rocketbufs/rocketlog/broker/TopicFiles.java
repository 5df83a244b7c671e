package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.SmallFile;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files that name the topics of a log directory, one for each topic. A topic exists if its file does. Writing a
 * file is atomic, and the client is answered once the file is on the disk.
 *
 * <pre>
 *   DIR/topics/orders    "rocketlog topic 1\npartitions 4\n"
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread at a time.
 */
final class TopicFiles {
    private static final Pattern CONTENT = Pattern.compile("rocketlog topic 1\npartitions ([1-9][0-9]{0,8})\n");

    private final Path folder;

    TopicFiles(Path directory) {
        this.folder = directory.resolve("topics");
    }

    /**
     * Reads all files.
     *
     * @return the number of partitions of each topic
     * @throws UncheckedIOException if a file cannot be read, or has invalid content; names the file
     */
    Map<String, Integer> read() {
        Map<String, Integer> topics = new TreeMap<>();
        if (!Files.isDirectory(folder)) {
            return topics;
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> written = files.filter(
                            file -> !SmallFile.isUnfinished(file.getFileName().toString()))
                    .toList();
            for (Path file : written) {
                topics.put(file.getFileName().toString(), partitions(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return topics;
    }

    private static int partitions(Path file) throws IOException {
        Matcher content = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (LogTopicName.problem(file.getFileName().toString()) != null || !content.matches()) {
            throw new IOException(file + " is not the file of a topic, or was written by a newer version;"
                    + " restore it from a copy, or move it elsewhere if it does not belong there");
        }
        return Integer.parseInt(content.group(1));
    }

    /** Writes the file of a topic. */
    void write(String topic, int partitions) {
        SmallFile.write(
                folder, topic, StandardCharsets.US_ASCII.encode("rocketlog topic 1\npartitions " + partitions + "\n"));
    }

    /** Deletes the file of a topic. */
    void delete(String topic) {
        SmallFile.delete(folder, topic);
    }
}

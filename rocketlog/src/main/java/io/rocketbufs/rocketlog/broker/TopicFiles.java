package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.SmallFile;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
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
 * file is atomic, and the client is answered once the file is on the disk. It is all that the disk has of a topic in
 * memory.
 *
 * <pre>
 *   DIR/topics/orders    "rocketlog topic 1\npartitions 4\n"
 *   DIR/topics/prices    "rocketlog topic 2\npartitions 4\nmemory 67108864\ncreated 1795834800000\n"
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread at a time.
 */
final class TopicFiles {
    private static final String NUMBER = "([1-9][0-9]{0,17})\n";
    private static final Pattern CONTENT = Pattern.compile("rocketlog topic (?:1\npartitions ([1-9][0-9]{0,8})\n"
            + "|2\npartitions ([1-9][0-9]{0,8})\nmemory " + NUMBER + "created " + NUMBER + ")");
    private static final String FOLDER = "topics";

    private final Path folder;

    /**
     * The content of a file.
     *
     * @param partitions number of partitions
     * @param capacity memory of each partition in bytes; 0 if the topic is on the disk
     * @param createdMs when a topic in memory was created, in milliseconds since 1970
     */
    record Content(int partitions, long capacity, long createdMs) {
        private String text() {
            return isInMemory()
                    ? "rocketlog topic 2\npartitions " + partitions + "\nmemory " + capacity + "\ncreated " + createdMs
                            + "\n"
                    : "rocketlog topic 1\npartitions " + partitions + "\n";
        }

        boolean isInMemory() {
            return capacity != LogMessageLayout.ON_DISK;
        }
    }

    TopicFiles(Path directory) {
        this.folder = directory.resolve(FOLDER);
    }

    /**
     * Reads all files.
     *
     * @return their content by topic
     * @throws UncheckedIOException if a file cannot be read, or has invalid content; names the file
     */
    Map<String, Content> read() {
        Map<String, Content> topics = new TreeMap<>();
        if (!Files.isDirectory(folder)) {
            return topics;
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> written = files.filter(
                            file -> !SmallFile.isUnfinished(file.getFileName().toString()))
                    .toList();
            for (Path file : written) {
                topics.put(file.getFileName().toString(), read(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return topics;
    }

    private static Content read(Path file) throws IOException {
        Matcher content = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (LogTopicName.problem(file.getFileName().toString()) != null || !content.matches()) {
            throw new IOException(file + " is not the file of a topic, or was written by a newer version;"
                    + " restore it from a copy, or move it elsewhere if it does not belong there");
        }
        return content.group(1) != null
                ? new Content(Integer.parseInt(content.group(1)), LogMessageLayout.ON_DISK, 0)
                : new Content(
                        Integer.parseInt(content.group(2)),
                        Long.parseLong(content.group(3)),
                        Long.parseLong(content.group(4)));
    }

    /** Returns the topic in memory to which the folder of a partition would belong, or null if there is none. */
    static String topicInMemory(Path partition) {
        Path name = partition.getFileName();
        int end = name == null ? -1 : name.toString().lastIndexOf('-');
        if (end < 0 || partition.getParent() == null) {
            return null;
        }
        String topic = name.toString().substring(0, end);
        Path file = new TopicFiles(partition.getParent()).path(topic);
        try {
            return Files.isRegularFile(file) && read(file).isInMemory() ? topic : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the path of a topic's file. */
    Path path(String topic) {
        return folder.resolve(topic);
    }

    /** Writes the file of a topic. */
    void write(String topic, Content content) {
        SmallFile.write(folder, topic, StandardCharsets.US_ASCII.encode(content.text()));
    }
}

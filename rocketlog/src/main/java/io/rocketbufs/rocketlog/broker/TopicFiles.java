package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.FolderRemoval;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files that name the topics of a log directory, one for each topic. A topic exists if its file does. Writing a
 * file is atomic, and the client is answered once the file is on the disk. So is deleting a topic
 * ({@link FolderRemoval}). The file is all that the disk has of a topic in memory.
 *
 * <pre>
 *   DIR/topics/orders            "rocketlog topic 2\npartitions 4\nid 461168601842738790\n"
 *   DIR/topics/orders~deleted    the same, while the folders of its partitions are being removed
 *   DIR/topics/prices            "rocketlog topic 2\npartitions 4\nid 461168601842738791\n" and
 *                                "memory 67108864\ncreated 1795834800000\n"
 * </pre>
 *
 * <p>Version 1 of the file has no id.
 *
 * <p><i>Thread-safety:</i> one thread at a time.
 */
final class TopicFiles {
    private static final String NUMBER = "([1-9][0-9]{0,17})\n";
    private static final Pattern CONTENT = Pattern.compile("rocketlog topic [12]\npartitions ([1-9][0-9]{0,8})\n(?:id "
            + NUMBER + ")?(?:memory " + NUMBER + "created " + NUMBER + ")?");
    /** The id of a topic whose file has none. */
    private static final long FORMER_ID = 1;

    private final Path directory;
    private final Path folder;

    /**
     * The content of a file.
     *
     * @param partitions number of partitions
     * @param id differs for each creation of a topic with the same name
     * @param capacity memory of each partition in bytes; 0 if the topic is on the disk
     * @param createdMs when the topic was created, in milliseconds since 1970; stored only for topics in memory
     */
    record Content(int partitions, long id, long capacity, long createdMs) {
        private String text() {
            return "rocketlog topic 2\npartitions " + partitions + "\nid " + id + "\n"
                    + (isInMemory() ? "memory " + capacity + "\ncreated " + createdMs + "\n" : "");
        }

        boolean isInMemory() {
            return capacity != LogMessageLayout.ON_DISK;
        }
    }

    TopicFiles(Path directory) {
        this.directory = directory;
        this.folder = directory.resolve("topics");
    }

    /**
     * Reads the files of all topics.
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
                String name = file.getFileName().toString();
                if (!FolderRemoval.isMarked(name)) {
                    topics.put(name, read(file, name));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return topics;
    }

    private static Content read(Path file, String topic) throws IOException {
        Matcher content = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (LogTopicName.problem(topic) != null || !content.matches()) {
            throw new IOException(file + " is not the file of a topic, or was written by a newer version;"
                    + " restore it from a copy, or move it elsewhere if it does not belong there");
        }
        return new Content(
                Integer.parseInt(content.group(1)),
                number(content.group(2), FORMER_ID),
                number(content.group(3), LogMessageLayout.ON_DISK),
                number(content.group(4), 0));
    }

    private static long number(String text, long otherwise) {
        return text == null ? otherwise : Long.parseLong(text);
    }

    /** Returns the topics whose deletion has begun and has not been finished, as {@link #read}. */
    Map<String, Content> deletions() {
        Map<String, Content> topics = new TreeMap<>();
        for (String topic : FolderRemoval.unfinished(folder)) {
            try {
                topics.put(topic, read(folder.resolve(FolderRemoval.marked(topic)), topic));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return topics;
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
            return Files.isRegularFile(file) && read(file, topic).isInMemory() ? topic : null;
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

    /** Begins to delete a topic, which no longer exists when this returns. */
    void beginDeletion(String topic) {
        FolderRemoval.begin(folder, topic);
    }

    /**
     * Deletes the folders of a topic's partitions, whose logs are closed, and then the rest of its file. Can be called
     * again if it fails.
     */
    void finishDeletion(String topic, int partitions) {
        FolderRemoval.finish(
                folder,
                topic,
                IntStream.range(0, partitions)
                        .mapToObj(i -> directory.resolve(LogTopicName.partition(topic, i)))
                        .toList());
    }
}

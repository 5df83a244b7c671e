package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.FolderRemoval;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.log.SmallFile;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The files that define the topics of a log directory, one for each topic. A topic exists if and only if its file
 * exists. Creating a topic is atomic, and the client receives the response only after the file is on the disk. Deleting
 * a topic is atomic too ({@link FolderRemoval}). For a topic in memory, this file is all that is stored on the disk.
 *
 * <pre>
 *   DIR/topics/orders            "rocketlog topic 4\npartitions 4\nid 461168601842738790\ncrc e86ed5e3\n"
 *   DIR/topics/orders~deleted    the same, while the folders of its partitions are being removed
 *   DIR/topics/prices            "rocketlog topic 4\npartitions 4\nid 461168601842738791\n",
 *                                "memory 67108864\ncreated 1795834800000\n" and "crc 437b1ffb\n"
 *   DIR/topics/trades            "rocketlog topic 4\npartitions 4\nid 461168601842738792\n",
 *                                "retention-time 3600000\nretention-length none\nsegment-length 1048576\n"
 *                                and "crc 7c45b398\n"
 * </pre>
 *
 * <p>The file contains only those options of the topic that are set. The last line is the CRC-32C of all preceding
 * lines. Version 3 of the format has no options, version 2 has neither options nor a CRC, and version 1 also lacks the
 * id.
 *
 * <p><i>Thread-safety:</i> one thread at a time.
 */
final class TopicFiles {
    private static final String NUMBER = "([1-9][0-9]{0,17})\n";
    private static final String NO_LIMIT = "none";
    private static final String LIMIT = "(none|[1-9][0-9]{0,17})\n";
    private static final Pattern CONTENT =
            Pattern.compile("rocketlog topic ([1234])\npartitions ([1-9][0-9]{0,8})\n(?:id " + NUMBER + ")?(?:memory "
                    + NUMBER + "created " + NUMBER + "|(?:retention-time " + LIMIT + ")?(?:retention-length " + LIMIT
                    + ")?(?:segment-length " + NUMBER + ")?)(crc [0-9a-f]{8}\n)?");
    private static final String FIRST_VERSION_WITH_CRC = "3";
    private static final int CRC_LINE_LENGTH = 13;
    private static final String PROBLEM = " is not the file of a topic, is damaged, or was written by a newer version;"
            + " restore it from a copy, or move it elsewhere if it does not belong there";
    /** The id of a topic whose file contains no id. */
    private static final long FORMER_ID = 1;

    private final Path directory;
    private final Path folder;

    /**
     * The content of a file.
     *
     * @param partitions number of partitions
     * @param id identifies the topic; a topic that is recreated with the same name has a different id
     * @param capacity memory of each partition in bytes; 0 if the topic is on the disk
     * @param createdMs when the topic was created, in milliseconds since 1970; stored only for topics in memory
     * @param options options that override those of the broker for this topic
     */
    record Content(int partitions, long id, long capacity, long createdMs, LogTopicOptions options) {
        private String text() {
            String lines = "rocketlog topic 4\npartitions " + partitions + "\nid " + id + "\n"
                    + (isInMemory() ? "memory " + capacity + "\ncreated " + createdMs + "\n" : "")
                    + line("retention-time", options.retentionMs())
                    + line("retention-length", options.retentionLength())
                    + line("segment-length", options.segmentLength());
            return lines + crcLine(lines);
        }

        private static String line(String name, long value) {
            if (value == LogTopicOptions.UNSET) {
                return "";
            }
            return name + " " + (value == LogTopicOptions.UNLIMITED ? NO_LIMIT : value) + "\n";
        }

        boolean isInMemory() {
            return capacity != TopicMessageLayout.ON_DISK;
        }
    }

    /**
     * The contents of all files.
     *
     * @param intact contents of the intact files, by topic
     * @param damaged why each of the other files cannot be used, by file name; a file name need not be a valid topic
     *     name
     */
    record Topics(Map<String, Content> intact, Map<String, String> damaged) {}

    TopicFiles(Path directory) {
        this.directory = directory;
        this.folder = directory.resolve("topics");
    }

    /**
     * Reads the files of all topics. A damaged or unreadable file does not affect the other files.
     *
     * @throws UncheckedIOException if the names of the files cannot be read
     */
    Topics read() {
        Topics topics = new Topics(new TreeMap<>(), new TreeMap<>());
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
                    read(file, name, topics);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return topics;
    }

    private static void read(Path file, String topic, Topics into) {
        try {
            into.intact().put(topic, read(file, topic));
        } catch (DamagedException e) {
            into.damaged().put(topic, e.getMessage());
        } catch (IOException e) {
            into.damaged().put(topic, file + " cannot be read: " + Reason.of(e) + "; check the disk");
        }
    }

    /** Thrown when the content of a file is invalid. */
    private static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        DamagedException(Path file) {
            super(file + PROBLEM);
        }
    }

    private static Content read(Path file, String topic) throws IOException {
        Content content = parse(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (LogTopicName.problem(topic) != null || content == null) {
            throw new DamagedException(file);
        }
        return content;
    }

    /** Returns the content of a file, or null if it is not a valid topic file. */
    static Content parse(String text) {
        Matcher content = CONTENT.matcher(text);
        if (!content.matches()) {
            return null;
        }
        boolean hasCrc = content.group(1).compareTo(FIRST_VERSION_WITH_CRC) >= 0;
        String expected = hasCrc ? crcLine(text.substring(0, text.length() - CRC_LINE_LENGTH)) : null;
        if (!Objects.equals(content.group(9), expected)) {
            return null;
        }
        LogTopicOptions options = new LogTopicOptions(
                limit(content.group(6)), limit(content.group(7)), number(content.group(8), LogTopicOptions.UNSET));
        if (options.problem() != null) {
            return null;
        }
        return new Content(
                Integer.parseInt(content.group(2)),
                number(content.group(3), FORMER_ID),
                number(content.group(4), TopicMessageLayout.ON_DISK),
                number(content.group(5), 0),
                options);
    }

    private static long limit(String text) {
        return NO_LIMIT.equals(text) ? LogTopicOptions.UNLIMITED : number(text, LogTopicOptions.UNSET);
    }

    private static String crcLine(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.US_ASCII));
        return String.format("crc %08x\n", crc.getValue());
    }

    /**
     * Reports the damaged files.
     *
     * @throws IOException if a file cannot be read
     */
    void inspect(LogInspection inspection) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (!SmallFile.isUnfinished(name) && !FolderRemoval.isMarked(name)) {
                    inspect(file, inspection);
                }
            }
        }
    }

    /** Reports a file if it is damaged. The topic may be deleted during this call. */
    void inspect(Path file, LogInspection inspection) throws IOException {
        try {
            if (parse(Files.readString(file, StandardCharsets.ISO_8859_1)) == null) {
                inspection.report(new LogInspection.Finding(file, 0, "the file" + PROBLEM));
            }
        } catch (NoSuchFileException e) {
            // The topic was deleted in the meantime.
        }
    }

    private static long number(String text, long otherwise) {
        return text == null ? otherwise : Long.parseLong(text);
    }

    /** Returns the names of the topics whose deletion is unfinished. */
    List<String> deletions() {
        return FolderRemoval.unfinished(folder);
    }

    /** Returns the in-memory topic to which the given partition folder would belong, or null if there is none. */
    static String topicInMemory(Path partition) {
        String topic = topicOf(partition);
        if (topic == null) {
            return null;
        }
        Path file = new TopicFiles(partition.getParent()).path(topic);
        try {
            return Files.isRegularFile(file) && read(file, topic).isInMemory() ? topic : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the deleted topic to which the given partition folder belongs, or null if there is none. */
    static String deletedTopic(Path partition) {
        String topic = topicOf(partition);
        if (topic == null) {
            return null;
        }
        TopicFiles files = new TopicFiles(partition.getParent());
        return Files.exists(files.path(FolderRemoval.marked(topic))) && !Files.exists(files.path(topic)) ? topic : null;
    }

    /**
     * Returns the topic name that the name of a partition folder contains, or null if it is not the name of a partition
     * folder.
     */
    private static String topicOf(Path partition) {
        Path name = partition.getFileName();
        int end = name == null ? -1 : name.toString().lastIndexOf('-');
        return end < 0 || partition.getParent() == null ? null : name.toString().substring(0, end);
    }

    /** Returns the path of a topic's file. */
    Path path(String topic) {
        return folder.resolve(topic);
    }

    /** Writes the file of a topic. */
    void write(String topic, Content content) {
        SmallFile.write(folder, topic, StandardCharsets.US_ASCII.encode(content.text()));
    }

    /** Starts deleting a topic. When this method returns, the topic no longer exists. */
    void beginDeletion(String topic) {
        FolderRemoval.begin(folder, topic);
    }

    /** Removes a partition's folder after {@link #beginDeletion}. The partition's log must be closed. */
    void removeFolder(String partition) {
        FolderRemoval.remove(directory.resolve(partition));
    }

    /**
     * Removes all folders whose names denote partitions of a topic, even partitions that the topic does not have, and
     * then the topic's file, regardless of its content. If this method fails, it can be called again.
     *
     * @return the names of the removed folders
     */
    List<String> finishDeletion(String topic) {
        String partition = Pattern.quote(topic) + "-[0-9]+";
        List<String> removed = FolderRemoval.removeAll(directory, name -> name.matches(partition));
        FolderRemoval.end(directory, folder, topic);
        return removed;
    }
}

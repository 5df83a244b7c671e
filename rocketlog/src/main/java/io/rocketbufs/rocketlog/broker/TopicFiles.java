package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.FolderRemoval;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files that name the topics of a log directory, one for each topic. A topic exists if its file does. Writing a
 * file is atomic, and the client is answered once the file is on the disk. So is deleting a topic
 * ({@link FolderRemoval}).
 *
 * <pre>
 *   DIR/topics/orders            "rocketlog topic 1\npartitions 4\nid 4611686018427387904\n"
 *   DIR/topics/orders~deleted    the same, while the folders of its partitions are being removed
 * </pre>
 *
 * <p>Earlier versions have written no id.
 *
 * <p><i>Thread-safety:</i> one thread at a time.
 */
final class TopicFiles {
    private static final Pattern CONTENT =
            Pattern.compile("rocketlog topic 1\npartitions ([1-9][0-9]{0,8})\n(?:id ([1-9][0-9]{0,18})\n)?");
    /** The id of a topic whose file has none. */
    private static final long FORMER_ID = 1;

    private final Path directory;
    private final Path folder;

    /**
     * The content of a file.
     *
     * @param partitions number of partitions
     * @param id differs for each creation of a topic with the same name
     */
    record Content(int partitions, long id) {
        private String text() {
            return "rocketlog topic 1\npartitions " + partitions + "\nid " + id + "\n";
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
                content.group(2) == null ? FORMER_ID : Long.parseLong(content.group(2)));
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

    /** Deletes the file of a topic. */
    void delete(String topic) {
        SmallFile.delete(folder, topic);
    }
}

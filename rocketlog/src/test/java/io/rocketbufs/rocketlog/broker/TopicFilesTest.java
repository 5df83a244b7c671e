package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.broker.TopicFiles.Content;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the files that represent topics. */
@Tag("once")
final class TopicFilesTest {
    private static final Content ON_DISK = new Content(4, 461_168_601_842_738_790L, 0, 0, LogTopicOptions.NONE);
    private static final Content IN_MEMORY =
            new Content(2, 461_168_601_842_738_791L, 67_108_864, 1_795_834_800_000L, LogTopicOptions.NONE);
    private static final Content WITH_OPTIONS = new Content(
            2, 461_168_601_842_738_792L, 0, 0, new LogTopicOptions(3_600_000, LogTopicOptions.UNLIMITED, 1_048_576));

    @TempDir
    Path folder;

    private LogInspection inspect() throws IOException {
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> {});
        LogBroker.inspectTopics(folder, inspection);
        return inspection;
    }

    @Test
    void shouldRefuseAndReportAFileWithAnyFlippedBit() throws Exception {
        TopicFiles files = new TopicFiles(folder);
        files.write("orders", ON_DISK);
        files.write("prices", IN_MEMORY);
        files.write("trades", WITH_OPTIONS);
        assertThat(files.read().intact())
                .isEqualTo(Map.of("orders", ON_DISK, "prices", IN_MEMORY, "trades", WITH_OPTIONS));
        assertThat(inspect().findings()).isEmpty();
        for (String topic : new String[] {"orders", "prices", "trades"}) {
            Path file = files.path(topic);
            byte[] original = Files.readAllBytes(file);
            for (int bit = 0; bit < original.length * Byte.SIZE; bit++) {
                byte[] damaged = original.clone();
                damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                Files.write(file, damaged);
                assertThat(files.read().damaged())
                        .as("bit %d", bit)
                        .containsOnlyKeys(topic)
                        .hasValueSatisfying(new Condition<>(
                                why -> why.startsWith(file + " is not the file of a topic"), "names it"));
                assertThat(files.read().intact()).hasSize(2).doesNotContainKey(topic);
                assertThat(inspect().findings())
                        .singleElement()
                        .extracting(LogInspection.Finding::file)
                        .isEqualTo(file);
            }
            Files.write(file, original);
        }
    }

    @Test
    void shouldRefuseOptionsThatNoTopicCanHave() throws Exception {
        TopicFiles files = new TopicFiles(folder);
        for (LogTopicOptions extreme : List.of(
                new LogTopicOptions(1, 1, 1 << 16),
                new LogTopicOptions(
                        LogTopicOptions.LONGEST_RETENTION_MS, LogTopicOptions.LARGEST_RETENTION, 1 << 30))) {
            Content content = new Content(4, 77, 0, 0, extreme);
            files.write("orders", content);
            assertThat(files.read().intact()).containsEntry("orders", content);
        }
        for (LogTopicOptions wrong : List.of(
                new LogTopicOptions(LogTopicOptions.LONGEST_RETENTION_MS + 1, 0, 0),
                new LogTopicOptions(0, LogTopicOptions.LARGEST_RETENTION + 1, 0),
                new LogTopicOptions(0, 0, 65_535),
                new LogTopicOptions(0, 0, (1 << 30) + 1),
                new LogTopicOptions(0, 0, 1L << 32))) {
            files.write("orders", new Content(4, 77, 0, 0, wrong));
            assertThat(files.read().damaged()).as("" + wrong).containsOnlyKeys("orders");
            assertThat(inspect().findings()).hasSize(1);
        }
    }

    @Test
    void shouldReadAnyTextOrRejectIt() throws Exception {
        checkTexts(40_000);
    }

    @Test
    @Tag("slow")
    @Timeout(3600)
    void shouldReadMillionsOfTextsOrRejectThem() throws Exception {
        checkTexts(5_000_000);
    }

    private void checkTexts(int count) throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        TopicFiles files = new TopicFiles(folder);
        List<String> valid = new ArrayList<>(List.of("rocketlog topic 2\npartitions 2\nid 77\n"));
        for (Content content : List.of(ON_DISK, IN_MEMORY, WITH_OPTIONS)) {
            files.write("orders", content);
            valid.add(Files.readString(files.path("orders")));
        }
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            Content content = TopicFiles.parse(changed(valid.get(random.nextInt(valid.size())), random));
            if (content != null) {
                accepted++;
                boolean isPossible = content.partitions() > 0
                        && content.id() > 0
                        && content.capacity() >= TopicMessageLayout.ON_DISK
                        && content.createdMs() >= 0
                        && content.options().problem() == null;
                assertThat(isPossible).as("seed %d: %s", seed, content).isTrue();
            }
        }
        assertThat(accepted).as("seed %d", seed).isBetween(count / 100, count - count / 100);
    }

    /**
     * Replaces, inserts, removes and repeats characters. The CRC of some texts is correct, so that the changes reach
     * the later checks.
     */
    private static String changed(String text, Random random) {
        String characters = "0123456789\n\r -noneid~\u00e9\u0000";
        StringBuilder changed = new StringBuilder(text);
        for (int changes = random.nextInt(4); changes > 0 && changed.length() > 0; changes--) {
            int index = random.nextInt(changed.length());
            char character = characters.charAt(random.nextInt(characters.length()));
            switch (random.nextInt(5)) {
                case 0 -> changed.insert(index, character);
                case 1 -> changed.deleteCharAt(index);
                case 2 -> changed.setLength(index);
                case 3 -> changed.insert(index, changed.substring(random.nextInt(index + 1), index));
                default -> changed.setCharAt(index, character);
            }
        }
        int crc = changed.lastIndexOf("crc ");
        if (crc < 0 || random.nextBoolean()) {
            return changed.toString();
        }
        CRC32C computed = new CRC32C();
        computed.update(changed.substring(0, crc).getBytes(StandardCharsets.ISO_8859_1));
        return changed.substring(0, crc) + String.format("crc %08x\n", computed.getValue());
    }

    @Test
    void shouldReportNothingAboutAFileThatIsDeletedMeanwhile() throws Exception {
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> {});
        new TopicFiles(folder).inspect(folder.resolve("topics").resolve("gone"), inspection);
        assertThat(inspection.findings()).isEmpty();
    }

    @Test
    void shouldReadTheFilesOfFormerVersions() throws Exception {
        Path topics = Files.createDirectory(folder.resolve("topics"));
        Files.writeString(topics.resolve("first"), "rocketlog topic 1\npartitions 3\n");
        Files.writeString(
                topics.resolve("second"), "rocketlog topic 2\npartitions 2\nid 77\nmemory 8388608\ncreated 5\n");
        Files.writeString(topics.resolve("third"), "rocketlog topic 3\npartitions 1\nid 78\ncrc eddaedb2\n");
        Map<String, Content> read = new TopicFiles(folder).read().intact();
        assertThat(read).containsEntry("second", new Content(2, 77, 8_388_608, 5, LogTopicOptions.NONE));
        assertThat(read).containsEntry("third", new Content(1, 78, 0, 0, LogTopicOptions.NONE));
        assertThat(read.get("first").partitions()).isEqualTo(3);
        assertThat(inspect().findings()).isEmpty();
    }
}

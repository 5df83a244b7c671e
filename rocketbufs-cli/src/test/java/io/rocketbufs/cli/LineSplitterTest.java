package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LineSplitterTest {
    @Test
    void shouldEndLinesOnlyAt0x0A() throws IOException {
        assertThat(split("a\r\nb\u0085c\u2028d\re\n")).containsExactly("a\r", "b\u0085c\u2028d\re");
    }

    @Test
    void shouldReturnEmptyLines() throws IOException {
        assertThat(split("\n\na\n\n")).containsExactly("", "", "a", "");
    }

    @Test
    void shouldReturnALastLineWithoutALineFeed() throws IOException {
        assertThat(split("a\nb")).containsExactly("a", "b");
    }

    @Test
    void shouldKeepTheEndsOfLinesOnRequest() throws IOException {
        List<String> lines = new ArrayList<>();
        new LineSplitter(stream("a\n\n b\nc".getBytes(StandardCharsets.UTF_8), 3), 2, 100)
                .keepingEnds()
                .readAll((line, offset, length) -> lines.add(new String(line, offset, length, StandardCharsets.UTF_8)));
        assertThat(lines).containsExactly("a\n", "\n", " b\n", "c");
    }

    @Test
    void shouldReturnNoLineForEmptyInput() throws IOException {
        assertThat(split("")).isEmpty();
    }

    @Test
    void shouldStopWhenTheHandlerReturnsFalse() throws IOException {
        List<Integer> lengths = new ArrayList<>();
        new LineSplitter(stream("a\nbb\nccc\n".getBytes(StandardCharsets.UTF_8), 100), 4, 100)
                .readAll((bytes, offset, length) -> {
                    lengths.add(length);
                    return lengths.size() < 2;
                });
        assertThat(lengths).containsExactly(1, 2);
    }

    @Test
    void shouldPassALineOnBeforeReadingTheNext() throws IOException {
        List<Integer> seenAtRead = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        InputStream slow = new InputStream() {
            private int next;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                seenAtRead.add(lengths.size());
                into[offset] = '\n';
                return next++ < 3 ? 1 : -1;
            }
        };
        new LineSplitter(slow, 4, 100).readAll((bytes, offset, length) -> lengths.add(length));
        assertThat(seenAtRead).containsExactly(0, 1, 2, 3);
    }

    @Test
    void shouldAnnounceEachRead() throws IOException {
        List<String> events = new ArrayList<>();
        new LineSplitter(stream("a\nb\nc".getBytes(StandardCharsets.UTF_8), 4), 16, 100)
                .readAll(new LineSplitter.LineHandler() {
                    @Override
                    public boolean onLine(byte[] bytes, int offset, int length) {
                        return events.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                    }

                    @Override
                    public void onPause() {
                        events.add("pause");
                    }
                });
        assertThat(events).containsExactly("pause", "a", "b", "pause", "pause", "c");
    }

    @Test
    void shouldPassOnOnlyTheBeginningOfALineThatIsTooLong() throws IOException {
        List<Integer> lengths = new ArrayList<>();
        new LineSplitter(stream("1234\n12345\n1\n".getBytes(StandardCharsets.UTF_8), 1), 2, 4)
                .readAll((bytes, offset, length) -> lengths.add(length));
        assertThat(lengths).containsExactly(4, 5);
    }

    @Test
    void shouldReturnEveryByteForAnyLengthsOfLinesAndReads() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] all = new byte[100_000];
        random.nextBytes(all);
        int[] filled = {0};
        byte[] joined = new byte[all.length + 1];
        new LineSplitter(stream(all, 1 + random.nextInt(5000)), 16, all.length).readAll((bytes, offset, length) -> {
            System.arraycopy(bytes, offset, joined, filled[0], length);
            joined[filled[0] + length] = '\n';
            filled[0] += length + 1;
            return true;
        });
        int end = all[all.length - 1] == '\n' ? all.length : all.length + 1;
        assertThat(filled[0]).as("seed %d", seed).isEqualTo(end);
        assertThat(Arrays.equals(joined, 0, all.length, all, 0, all.length))
                .as("seed %d", seed)
                .isTrue();
    }

    private static List<String> split(String text) throws IOException {
        List<String> lines = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        new LineSplitter(stream(bytes, 3), 2, bytes.length)
                .readAll((line, offset, length) -> lines.add(new String(line, offset, length, StandardCharsets.UTF_8)));
        return lines;
    }

    /** Returns a stream whose reads return only a few bytes each, as with a pipe. */
    private static InputStream stream(byte[] bytes, int atOnce) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(atOnce, length));
            }
        };
    }
}

package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SegmentScanTest {
    @TempDir
    Path folder;

    /** A file that counts the bytes that are read from it. */
    private static final class CountingFile implements LogFile {
        private final LogFile file;
        private long readLength;

        CountingFile(LogFile file) {
            this.file = file;
        }

        @Override
        public long length() throws IOException {
            return file.length();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int length = file.read(target, position);
            readLength += length;
            return length;
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            file.write(source, position);
        }

        @Override
        public void allocate(long length) throws IOException {
            file.allocate(length);
        }

        @Override
        public SegmentMapping map(long length) throws IOException {
            return file.map(length);
        }

        @Override
        public MappedFile mapWritable(long length) throws IOException {
            return file.mapWritable(length);
        }

        @Override
        public long nextData(long from) throws IOException {
            return file.nextData(from);
        }

        @Override
        public void truncate(long length) throws IOException {
            file.truncate(length);
        }

        @Override
        public void force() throws ForceException {
            file.force();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private static SegmentScan scan(LogFile file) throws IOException {
        ByteBuffer batch = Batches.of(1, 3, "value");
        RecordBatchLayout.assign(batch, 0, 0, 0);
        file.write(batch, 0);
        SegmentMapping mapping = file.map(1 << 30);
        mapping.addUser();
        mapping.removeUser();
        return new SegmentScan(file, 0, file.length(), 0);
    }

    @Test
    void shouldNotReadTheHoleAfterTheBatchesOfAMappedHead() throws IOException {
        try (CountingFile file =
                new CountingFile(DiskFolder.writable(folder.resolve("orders-0")).create("segment"))) {
            SegmentScan scan = scan(file);
            assertThat(scan.next()).isTrue();
            assertThat(scan.next()).isFalse();
            assertThat(scan.problem()).isNull();
            assertThat(scan.nextOffset()).isEqualTo(3);
            assertThat(file.readLength).isLessThan(1 << 20);
        }
    }

    @Test
    void shouldFindBytesAfterAHole() throws IOException {
        try (CountingFile file =
                new CountingFile(DiskFolder.writable(folder.resolve("orders-0")).create("segment"))) {
            SegmentScan scan = scan(file);
            file.write(ByteBuffer.wrap(new byte[] {1}), 900 << 20);
            assertThat(scan.next()).isTrue();
            assertThat(scan.next()).isFalse();
            assertThat(scan.problem()).isNotNull();
            assertThat(file.readLength).isLessThan(1 << 20);
        }
    }

    @Test
    void shouldReadEachByteOnceEvenIfBatchesAreLong() throws IOException {
        try (CountingFile file =
                new CountingFile(DiskFolder.writable(folder.resolve("orders-0")).create("segment"))) {
            int count = 20;
            for (int i = 0; i < count; i++) {
                ByteBuffer batch = Batches.of(1, 1, "x".repeat(70_000 + i * 9_000));
                RecordBatchLayout.assign(batch, 0, i, 0);
                file.write(batch, file.length());
            }
            SegmentScan scan = new SegmentScan(file, 0, file.length(), 0);
            for (int i = 0; i < count; i++) {
                assertThat(scan.next()).isTrue();
                assertThat(scan.nextOffset()).isEqualTo(i + 1);
            }
            assertThat(scan.next()).isFalse();
            assertThat(scan.problem()).isNull();
            assertThat(file.readLength).isEqualTo(file.length());
        }
    }
}

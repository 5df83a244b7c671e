package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A folder on a simulated disk, which can fail, and can compute its content after a crash.
 *
 * <p>After a crash of the machine, each name that was created, renamed or deleted since the folder was forced is there
 * or not, but a file that was forced and renamed has at least one of its names; and each sector written since its file
 * was forced has its old content, its new one, or that of a write between them. After the end of the process,
 * everything is there; with short writes, the last batch may be incomplete.
 */
final class SimulatedDisk implements LogFolder {
    private static final int SECTOR = 64;

    /** One change of a file since it was forced. */
    private record Change(long position, byte[] bytes, long length) {}

    /** A file, whatever its names are. */
    private static final class Content {
        byte[] forced = {};
        byte[] current = {};
        final List<Change> changes = new ArrayList<>();

        Content copy() {
            Content copy = new Content();
            copy.forced = forced;
            copy.current = current;
            copy.changes.addAll(changes);
            return copy;
        }

        void force() {
            for (Change change : changes) {
                forced = applied(forced, change.position, change.bytes, change.length);
            }
            changes.clear();
        }

        void change(long position, byte[] bytes, long length) {
            current = applied(current, position, bytes, length);
            changes.add(new Change(position, bytes, length));
        }
    }

    private final Map<String, Content> forcedNames = new TreeMap<>();
    private final Map<String, Content> names = new TreeMap<>();
    /** The names that files had before and after they were renamed, since the folder was forced. */
    private final Map<String, String> renames = new TreeMap<>();

    private long freeBytes = Long.MAX_VALUE / 2;
    private int failingForces;
    private String forceFailure = "Input/output error";
    private boolean deleteFails;
    private boolean hasDescriptors = true;
    private int longestWrite = Integer.MAX_VALUE;

    /** Called before each change, so that a test can crash there. */
    private Runnable beforeChange = () -> {};

    void beforeChange(Runnable action) {
        beforeChange = action;
    }

    /** Limits the total number of bytes by which files may still grow; further growth fails as on a full disk. */
    void free(long bytes) {
        freeBytes = bytes;
    }

    /**
     * Makes the next forces fail, and lose the data: it can still be read, but no later force stores it, unless it is
     * written again.
     */
    void failForces(int count) {
        failingForces = count;
    }

    /** As {@link #failForces(int)}, with the system's text. */
    void failForces(int count, String text) {
        failForces(count);
        forceFailure = text;
    }

    /** Makes deleting fail. */
    void failDeletes(boolean fails) {
        deleteFails = fails;
    }

    /** Makes all operations that open a file or folder fail. */
    void failOpening(boolean fails) {
        hasDescriptors = !fails;
    }

    private void takeDescriptor(String name) throws IOException {
        if (!hasDescriptors) {
            throw new FileSystemException(path(name), null, "Too many open files");
        }
    }

    /** Makes each write take at most the given number of bytes. */
    void shortenWrites(int longest) {
        longestWrite = longest;
    }

    private static byte[] applied(byte[] old, long position, byte[] bytes, long length) {
        byte[] result = Arrays.copyOf(old, (int) length);
        int count = (int) Math.min(bytes.length, Math.max(length - position, 0));
        System.arraycopy(bytes, 0, result, (int) position, count);
        return result;
    }

    /** Returns the disk after the process was killed; unforced changes remain unforced. */
    SimulatedDisk afterKill() {
        SimulatedDisk disk = new SimulatedDisk();
        Map<Content, Content> copies = new IdentityHashMap<>();
        disk.renames.putAll(renames);
        names.forEach((name, content) -> disk.names.put(name, copies.computeIfAbsent(content, Content::copy)));
        forcedNames.forEach(
                (name, content) -> disk.forcedNames.put(name, copies.computeIfAbsent(content, Content::copy)));
        return disk;
    }

    /** Returns the disk after a crash of the machine. */
    SimulatedDisk afterCrash(Random random) {
        SimulatedDisk disk = new SimulatedDisk();
        Map<String, Content> survivors = new HashMap<>(forcedNames);
        for (String name : forcedNames.keySet()) {
            if (names.get(name) != forcedNames.get(name) && random.nextBoolean()) {
                survivors.remove(name);
            }
        }
        names.forEach((name, content) -> {
            if (forcedNames.get(name) != content && random.nextBoolean()) {
                survivors.put(name, content);
            }
        });
        renames.forEach((from, to) -> {
            Content renamed = forcedNames.get(from);
            if (renamed != null && names.get(to) == renamed && !survivors.containsValue(renamed)) {
                survivors.put(random.nextBoolean() ? from : to, renamed);
            }
        });
        survivors.forEach((name, content) -> disk.put(name, torn(content, random)));
        return disk;
    }

    private static byte[] torn(Content content, Random random) {
        int kind = random.nextInt(4);
        if (content.changes.isEmpty() || kind == 0) {
            return content.forced.clone();
        }
        if (kind == 1) {
            return content.current.clone();
        }
        byte[] result = content.forced.clone();
        for (Change change : content.changes) {
            boolean takesLength = change.length >= result.length || random.nextBoolean();
            byte[] next = applied(result, change.position, change.bytes, takesLength ? change.length : result.length);
            // Sectors of this change that did not reach the disk keep the content from before it.
            long first = change.position / SECTOR;
            long last = (change.position + change.bytes.length - 1) / SECTOR;
            for (long sector = first; sector <= last; sector++) {
                if (random.nextInt(3) == 0) {
                    restore(next, result, (int) sector * SECTOR);
                }
            }
            result = next;
        }
        return result;
    }

    private static void restore(byte[] next, byte[] old, int from) {
        for (int i = from; i < Math.min(from + SECTOR, next.length); i++) {
            next[i] = i < old.length ? old[i] : 0;
        }
    }

    private void put(String name, byte[] bytes) {
        Content content = new Content();
        content.forced = bytes;
        content.current = bytes;
        names.put(name, content);
        forcedNames.put(name, content);
    }

    /** Returns the content of a file. */
    byte[] bytes(String name) {
        return names.get(name).current;
    }

    /** Replaces the content of a file. */
    void set(String name, byte[] bytes) {
        put(name, bytes);
    }

    @Override
    public String path(String name) {
        return "simulated/" + name;
    }

    @Override
    public List<String> names() {
        return List.copyOf(names.keySet());
    }

    @Override
    public LogFile open(String name) throws IOException {
        if (!names.containsKey(name)) {
            throw new NoSuchFileException(path(name));
        }
        takeDescriptor(name);
        return new SimulatedFile(names.get(name));
    }

    @Override
    public LogFile createNew(String name) throws IOException {
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(path(name));
        }
        return create(name);
    }

    @Override
    public LogFile create(String name) throws IOException {
        takeDescriptor(name);
        beforeChange.run();
        if (freeBytes == 0) {
            throw new IOException("No space left on device");
        }
        names.put(name, new Content());
        return open(name);
    }

    @Override
    public void delete(String name) throws IOException {
        beforeChange.run();
        if (deleteFails) {
            throw new IOException("Operation not permitted");
        }
        names.remove(name);
    }

    @Override
    public void remove() throws IOException {
        beforeChange.run();
        if (!names.isEmpty()) {
            throw new DirectoryNotEmptyException(path(""));
        }
    }

    @Override
    public void rename(String from, String to) {
        beforeChange.run();
        renames.put(from, to);
        names.put(to, names.remove(from));
    }

    @Override
    public void force() throws IOException {
        takeDescriptor("");
        beforeChange.run();
        if (failingForces > 0) {
            failingForces--;
            throw new ForceException(new IOException(forceFailure));
        }
        renames.clear();
        forcedNames.clear();
        forcedNames.putAll(names);
    }

    private final class SimulatedFile implements LogFile {
        private final Content content;

        SimulatedFile(Content content) {
            this.content = content;
        }

        @Override
        public long length() {
            return content.current.length;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int count = (int) Math.min(target.remaining(), Math.max(content.current.length - position, 0));
            target.put(content.current, (int) position, count);
            return count;
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            beforeChange.run();
            int count = Math.min(source.remaining(), longestWrite);
            long growth = Math.max(position + count - length(), 0);
            if (growth > freeBytes) {
                count -= (int) (growth - freeBytes);
                growth = freeBytes;
            }
            if (count <= 0) {
                throw new IOException("No space left on device");
            }
            freeBytes -= growth;
            byte[] bytes = new byte[count];
            source.get(bytes);
            content.change(position, bytes, Math.max(length(), position + count));
        }

        @Override
        public void allocate(long length) throws IOException {
            beforeChange.run();
            if (length - length() > freeBytes) {
                throw new IOException("No space left on device");
            }
            if (length > length()) {
                freeBytes -= length - length();
                content.change(0, new byte[0], length);
            }
        }

        @Override
        public SegmentMapping map(long length) {
            throw new UnsupportedOperationException("a simulated file cannot be mapped");
        }

        @Override
        public MappedFile mapWritable(long length) {
            throw new UnsupportedOperationException("a simulated file cannot be mapped");
        }

        @Override
        public long nextData(long from) {
            return from;
        }

        @Override
        public void truncate(long length) {
            beforeChange.run();
            if (length < length()) {
                freeBytes += length() - length;
                content.change(0, new byte[0], length);
            }
        }

        @Override
        public void force() throws ForceException {
            beforeChange.run();
            if (failingForces > 0) {
                failingForces--;
                content.changes.clear();
                throw new ForceException(new IOException(forceFailure));
            }
            content.force();
        }

        @Override
        public void close() {}
    }
}

package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.Region;
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
 * A folder on a simulated disk. The disk can fail, and its possible content after a crash can be computed.
 *
 * <p>After a crash of the machine, each name that was created, renamed or deleted since the folder was forced may or
 * may not exist. However, a file that was forced and renamed has at least one of its names. Each sector that was
 * written since its file was forced contains its old content, its new content, or the content of an intermediate write.
 * A failed force may have stored the names. If only the process is killed, nothing is lost, but with short writes, the
 * last batch may be incomplete.
 *
 * <p>A file can be mapped for writing. Bytes that are stored into the memory belong to the file immediately. Like
 * written bytes, they survive a crash of the machine only after the file has been forced.
 */
final class SimulatedDisk implements LogFolder {
    private static final int SECTOR = 64;

    /** A change to a file since the file was forced. */
    private record Change(long position, byte[] bytes, long length) {}

    /** The content of a file, independent of the file's names. */
    private static final class Content {
        byte[] forced = {};
        byte[] current = {};
        final List<Change> changes = new ArrayList<>();
        /** The memory that is mapped for writing; null if there is none. This object holds a lease on it. */
        private Region region;

        private ByteBuffer memory;

        /** Maps the file for writing, as it is now. */
        void map(Region mapped) {
            unmap();
            mapped.retain();
            region = mapped;
            memory = mapped.window(0, current.length).put(0, current);
        }

        /** Ends the mapping. Bytes that have been stored into the memory remain in the file. */
        void unmap() {
            takeStored();
            if (region != null) {
                region.release();
                region = null;
                memory = null;
            }
        }

        /** Adds the bytes that have been stored into the memory since the last call, as one change. */
        void takeStored() {
            if (memory == null) {
                return;
            }
            byte[] stored = new byte[current.length];
            memory.get(0, stored);
            int first = Arrays.mismatch(current, stored);
            if (first >= 0) {
                int end = stored.length;
                while (stored[end - 1] == current[end - 1]) {
                    end--;
                }
                changes.add(new Change(first, Arrays.copyOfRange(stored, first, end), stored.length));
                current = stored;
            }
        }

        Content copy() {
            takeStored();
            Content copy = new Content();
            copy.forced = forced;
            copy.current = current;
            copy.changes.addAll(changes);
            return copy;
        }

        void force() {
            takeStored();
            for (Change change : changes) {
                forced = applied(forced, change.position, change.bytes, change.length);
            }
            changes.clear();
        }

        void change(long position, byte[] bytes, long length) {
            takeStored();
            if (memory != null) {
                memory.put((int) position, bytes);
            }
            current = applied(current, position, bytes, length);
            changes.add(new Change(position, bytes, length));
        }
    }

    private final Map<String, Content> forcedNames = new TreeMap<>();
    private final Map<String, Content> names = new TreeMap<>();
    /** The old and new names of files that were renamed since the folder was forced. */
    private final Map<String, String> renames = new TreeMap<>();
    /** The names at each failed force since the folder was last forced. */
    private final List<Map<String, Content>> perhapsForcedNames = new ArrayList<>();

    private long freeBytes = Long.MAX_VALUE / 2;
    private int failingForces;
    private String forceFailure = "Input/output error";
    private boolean deleteFails;
    /** The folders in this folder, whose removal is stored when this folder is forced. */
    private List<SimulatedDisk> folders = List.of();

    private boolean isRemoved;
    private boolean hasDescriptors = true;
    private int longestWrite = Integer.MAX_VALUE;

    /** Called before each change, so that a test can simulate a crash at this point. */
    private Runnable beforeChange = () -> {};

    void beforeChange(Runnable action) {
        beforeChange = action;
    }

    /** Makes this folder the parent of the given folders. */
    SimulatedDisk withFolders(List<SimulatedDisk> contained) {
        folders = contained;
        return this;
    }

    /** Limits the total number of bytes by which files may still grow. Further growth fails as on a full disk. */
    void free(long bytes) {
        freeBytes = bytes;
    }

    /**
     * Makes the next forces fail and lose the data. The data can still be read, but later forces store it only if it is
     * written again.
     */
    void failForces(int count) {
        failingForces = count;
    }

    /**
     * Makes the next forces fail as {@link #failForces(int)} does, with the given text as the system's error message.
     */
    void failForces(int count, String text) {
        failForces(count);
        forceFailure = text;
    }

    /** Sets whether deleting files fails. */
    void failDeletes(boolean fails) {
        deleteFails = fails;
    }

    /** Sets whether all operations that open a file or folder fail. */
    void failOpening(boolean fails) {
        hasDescriptors = !fails;
    }

    private void takeDescriptor(String name) throws IOException {
        if (!hasDescriptors) {
            throw new FileSystemException(path(name), null, "Too many open files");
        }
    }

    /** Limits each write to the given number of bytes. */
    void shortenWrites(int longest) {
        longestWrite = longest;
    }

    private static byte[] applied(byte[] old, long position, byte[] bytes, long length) {
        byte[] result = Arrays.copyOf(old, (int) length);
        int count = (int) Math.min(bytes.length, Math.max(length - position, 0));
        System.arraycopy(bytes, 0, result, (int) position, count);
        return result;
    }

    /** Returns the disk as it is after the process was killed. Unforced changes remain unforced. */
    SimulatedDisk afterKill() {
        SimulatedDisk disk = new SimulatedDisk();
        Map<Content, Content> copies = new IdentityHashMap<>();
        disk.renames.putAll(renames);
        disk.names.putAll(copied(names, copies));
        disk.forcedNames.putAll(copied(forcedNames, copies));
        perhapsForcedNames.forEach(each -> disk.perhapsForcedNames.add(copied(each, copies)));
        disk.isRemoved = isRemoved;
        return disk;
    }

    private static Map<String, Content> copied(Map<String, Content> original, Map<Content, Content> copies) {
        Map<String, Content> copy = new TreeMap<>();
        original.forEach((name, content) -> copy.put(name, copies.computeIfAbsent(content, Content::copy)));
        return copy;
    }

    /** Returns a possible state of the disk after a crash of the machine. */
    SimulatedDisk afterCrash(Random random) {
        SimulatedDisk disk = new SimulatedDisk();
        int force = random.nextInt(perhapsForcedNames.size() + 1);
        Map<String, Content> stored = force == 0 ? forcedNames : perhapsForcedNames.get(force - 1);
        Map<String, Content> survivors = new HashMap<>(stored);
        for (String name : stored.keySet()) {
            if (names.get(name) != stored.get(name) && random.nextBoolean()) {
                survivors.remove(name);
            }
        }
        names.forEach((name, content) -> {
            if (stored.get(name) != content && random.nextBoolean()) {
                survivors.put(name, content);
            }
        });
        renames.forEach((from, to) -> {
            Content renamed = stored.get(from);
            if (renamed != null && names.get(to) == renamed && !survivors.containsValue(renamed)) {
                survivors.put(random.nextBoolean() ? from : to, renamed);
            }
        });
        survivors.forEach((name, content) -> disk.put(name, torn(content, random)));
        return disk;
    }

    private static byte[] torn(Content content, Random random) {
        content.takeStored();
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
            // Sectors of this change that did not reach the disk keep their previous content.
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
        names.get(name).takeStored();
        return names.get(name).current;
    }

    /** Ends all mappings for writing. Nothing may be stored into their memory afterwards. */
    void unmap() {
        names.values().forEach(Content::unmap);
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
        isRemoved = true;
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
            perhapsForcedNames.add(new TreeMap<>(names));
            throw new ForceException(new IOException(forceFailure));
        }
        renames.clear();
        perhapsForcedNames.clear();
        forcedNames.clear();
        forcedNames.putAll(names);
        folders.forEach(SimulatedDisk::forceRemoval);
    }

    private void forceRemoval() {
        if (isRemoved) {
            renames.clear();
            perhapsForcedNames.clear();
            forcedNames.clear();
        }
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
            content.takeStored();
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
            throw new UnsupportedOperationException("a simulated file cannot be mapped for reading");
        }

        @Override
        public MappedFile mapWritable(long length) throws IOException {
            allocate(length);
            MappedFile mapped = MappedFile.memory("simulated", content.current.length);
            content.map(mapped.region());
            return mapped;
        }

        @Override
        public long nextData(long from) {
            return from;
        }

        @Override
        public void truncate(long length) {
            beforeChange.run();
            content.unmap(); // peers no longer have access
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
                content.takeStored();
                content.changes.clear();
                throw new ForceException(new IOException(forceFailure));
            }
            content.force();
        }

        @Override
        public void close() {}
    }
}

//! One-axis npy arrays inside a zip, written without a clock and read without trust. Not here: which arrays there are.

use std::io::{Cursor, Read, Write};

use ndarray::{Array1, ArrayView1};
use ndarray_npy::{
    ReadNpyExt, ReadableElement, WritableElement, WriteNpyExt,
    npy::header::{Header, Layout},
};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

use super::Fault;

/// Name of the member that holds the content hash.
pub(super) const HASH_MEMBER: &str = "blake3";
/// Longest npy header that is read; ours take 128 bytes.
const HEADER_BYTES_MAX: usize = 512;
/// More than any member here can be compressed by deflate, whose limit is 1032.
const RATIO_MAX: u64 = 1040;

/// What arrays are made of.
pub(super) trait Element: ReadableElement + WritableElement {}
impl<T: ReadableElement + WritableElement> Element for T {}

fn add_member(hasher: &mut blake3::Hasher, name: &str, bytes: &[u8]) {
    hasher.update(name.as_bytes());
    hasher.update(&[0]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// Builds an npz in memory, hashing as it goes.
pub(super) struct NpzWriter {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    hasher: blake3::Hasher,
}

impl NpzWriter {
    pub(super) fn new() -> NpzWriter {
        NpzWriter { zip: ZipWriter::new(Cursor::new(Vec::new())), hasher: blake3::Hasher::new() }
    }

    fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(DateTime::default())
            .system(System::Unix)
            .unix_permissions(0o644);
        self.zip.start_file(format!("{name}.npy"), options).map_err(|e| Fault::new(name, e.to_string()))?;
        self.zip.write_all(bytes).map_err(|e| Fault::new(name, e.to_string()))
    }

    /// Adds an array.
    pub(super) fn column<T: WritableElement>(&mut self, name: &str, values: &[T]) -> Result<(), Fault> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES_MAX + size_of_val(values));
        ArrayView1::from(values).write_npy(&mut bytes).map_err(|e| Fault::new(name, e.to_string()))?;
        add_member(&mut self.hasher, name, &bytes);
        self.member(name, &bytes)
    }

    /// Adds the hash; returns the file's bytes and the hash.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, blake3::Hash), Fault> {
        let hash = self.hasher.finalize();
        let mut bytes = Vec::new();
        let written = ArrayView1::from(hash.as_bytes()).write_npy(&mut bytes);
        written.map_err(|e| Fault::new(HASH_MEMBER, e.to_string()))?;
        self.member(HASH_MEMBER, &bytes)?;
        let zip = self.zip.finish().map_err(|e| Fault::new("", e.to_string()))?;
        Ok((zip.into_inner(), hash))
    }
}

/// Reads arrays in the order they are asked for, which must be the order they were written in.
pub(super) struct NpzReader<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    hasher: blake3::Hasher,
    seen: usize,
}

impl<'a> NpzReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<NpzReader<'a>, Fault> {
        if !bytes.starts_with(b"PK\x03\x04") {
            let what = if bytes.is_empty() { "it is empty" } else { "it doesn't start as a zip file" };
            return Err(Fault::new("", what));
        }
        let zip =
            ZipArchive::new(Cursor::new(bytes)).map_err(|e| Fault::new("", format!("not a whole zip file: {e}")))?;
        Ok(NpzReader { zip, hasher: blake3::Hasher::new(), seen: 0 })
    }

    /// The npy bytes of the next member, at most `most` of them, checked against the zip's size and CRC.
    fn member(&mut self, name: &str, most: u64) -> Result<Vec<u8>, Fault> {
        let fault = |why: String| Fault::new(name, why);
        let mut file = self.zip.by_index(self.seen).map_err(|e| fault(format!("missing or unreadable: {e}")))?;
        if file.name_raw() != format!("{name}.npy").as_bytes() {
            let found = String::from_utf8_lossy(file.name_raw()).chars().take(60).collect::<String>();
            return Err(fault(format!("expected here, found {found:?}")));
        }
        if file.encrypted() || !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(fault(format!("stored as {:?}, expected stored or deflated", file.compression())));
        }
        let size = file.size();
        if size > most {
            return Err(fault(format!("claims {size} bytes, at most {most} expected")));
        }
        if size > file.compressed_size().saturating_mul(RATIO_MAX) {
            return Err(fault(format!("claims {size} bytes out of {}", file.compressed_size())));
        }
        // Reading to the end, not to the claimed size, makes zip check the CRC and shows what is too long.
        let mut bytes = Vec::with_capacity(size as usize);
        (&mut file).take(size + 1).read_to_end(&mut bytes).map_err(|e| fault(format!("damaged: {e}")))?;
        if bytes.len() as u64 != size {
            return Err(fault(format!("has {} bytes or more, {size} expected", bytes.len())));
        }
        self.seen += 1;
        Ok(bytes)
    }

    /// The array, if its header is byte for byte what we would write. The library's parser of headers takes longer than
    /// all the rest of reading a single game from a journal: a quarter of the time of runs of short games.
    fn own_array<T: Element>(bytes: &[u8], len: Option<usize>) -> Option<Vec<T>> {
        let header_len = usize::from(u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?])) + 10;
        let data = bytes.get(header_len..)?;
        let found = data.len() / size_of::<T>();
        if data.len() % size_of::<T>() != 0 || len.is_some_and(|len| len != found) {
            return None;
        }
        let header = Header { type_descriptor: T::type_descriptor(), layout: Layout::Standard, shape: vec![found] };
        if header.to_bytes().ok()? != bytes[..header_len] {
            return None;
        }
        T::read_to_end_exact_vec(data, &header.type_descriptor, found).ok()
    }

    fn array<T: Element>(name: &str, bytes: &[u8], len: Option<usize>) -> Result<Vec<T>, Fault> {
        let fault = |why: String| Fault::new(name, why);
        // Magic, version 1, header length: checked here because a later version's length field may claim 4 GiB.
        let header_bytes = match bytes {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, 0, lo, hi, ..] => usize::from(u16::from_le_bytes([*lo, *hi])),
            _ => return Err(fault("not an npy array of version 1".to_string())),
        };
        if header_bytes > HEADER_BYTES_MAX {
            return Err(fault(format!("npy header of {header_bytes} bytes, at most {HEADER_BYTES_MAX} expected")));
        }
        if let Some(values) = Self::own_array(bytes, len) {
            return Ok(values);
        }
        let mut rest = bytes;
        let header = Header::from_reader(&mut rest).map_err(|e| fault(format!("npy header: {e}")))?;
        let &[found] = header.shape.as_slice() else {
            return Err(fault(format!("{} axes, 1 expected", header.shape.len())));
        };
        if len.is_some_and(|len| len != found) {
            return Err(fault(format!("{found} elements, {} expected", len.unwrap_or(0))));
        }
        if found.checked_mul(size_of::<T>()) != Some(rest.len()) {
            let size = size_of::<T>();
            return Err(fault(format!("claims {found} elements of {size} bytes, has {} bytes", rest.len())));
        }
        let array = Array1::<T>::read_npy(bytes).map_err(|e| fault(format!("npy: {e}")))?;
        let (values, offset) = array.into_raw_vec_and_offset();
        match offset {
            None | Some(0) => Ok(values),
            Some(at) => Err(fault(format!("starts at element {at}"))),
        }
    }

    /// Reads an array of exactly `len` elements.
    pub(super) fn column<T: Element>(&mut self, name: &str, len: usize) -> Result<Vec<T>, Fault> {
        let bytes = self.member(name, (len * size_of::<T>() + HEADER_BYTES_MAX) as u64)?;
        add_member(&mut self.hasher, name, &bytes);
        Self::array(name, &bytes, Some(len))
    }

    /// Reads an array of bytes of any length up to `most`.
    pub(super) fn bytes(&mut self, name: &str, most: usize) -> Result<Vec<u8>, Fault> {
        let bytes = self.member(name, (most + HEADER_BYTES_MAX) as u64)?;
        add_member(&mut self.hasher, name, &bytes);
        Self::array(name, &bytes, None)
    }

    /// Checks the content hash and that nothing is left over; returns the hash.
    pub(super) fn finish(mut self) -> Result<blake3::Hash, Fault> {
        let bytes = self.member(HASH_MEMBER, (blake3::OUT_LEN + HEADER_BYTES_MAX) as u64)?;
        let stored: Vec<u8> = Self::array(HASH_MEMBER, &bytes, Some(blake3::OUT_LEN))?;
        let hash = self.hasher.finalize();
        if stored != hash.as_bytes() {
            return Err(Fault::new(HASH_MEMBER, "the content hash differs; the file was damaged or changed"));
        }
        if self.zip.len() != self.seen {
            return Err(Fault::new("", format!("{} members, {} expected", self.zip.len(), self.seen)));
        }
        Ok(hash)
    }
}
